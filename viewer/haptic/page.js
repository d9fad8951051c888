// Draws what the worker computes, and hands it the pose of the tool.
import * as THREE from 'three';

const $ = (id) => document.getElementById(id);
const stage = $('stage');
const renderer = new THREE.WebGLRenderer({ antialias: true });
stage.append(renderer.domElement);
const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
scene.add(new THREE.HemisphereLight(0xffffff, 0x777777, 2.2));
const sun = new THREE.DirectionalLight(0xffffff, 1.6);
sun.position.set(1, -2, 3);
scene.add(sun);
const arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 1, 0xc0392b);
const dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 8, 6),
                                     new THREE.MeshBasicMaterial({ color: 0xe67e22 }), 1024);
scene.add(arrow, dots);

const worker = new Worker('worker.js');
const view = { size: 1, bodies: [], center: new THREE.Vector3(), angle: [-1.0, 0.35], zoom: 1,
               home: null, pose: [0, 0, 0, 1, 0, 0, 0], force: [0, 0, 0], frames: 0, cost: 0,
               since: performance.now(), fps: 0, rate: 0, largest: 1e-30, isolated: false,
               answers: new Map(), opened: 0, contacts: 0, history: [] };

function fail(text) {
    $('message').textContent = text;
    view.error = text;
}

function bounds(points) {
    const box = new THREE.Box3();
    for (let i = 0; i < points.length; i += 3)
        box.expandByPoint(new THREE.Vector3(points[i], points[i + 1], points[i + 2]));
    return box;
}

function makeBody(surface, facets, color) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(surface, 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(facets), 1));
    geometry.computeVertexNormals();
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color, roughness: 0.6 }));
    mesh.frustumCulled = false;
    scene.add(mesh);
    return mesh;
}

function look() {
    const [around, up] = view.angle, far = 2.6 * view.size * view.zoom;
    camera.up.set(0, 0, 1);
    camera.position.set(far * Math.cos(up) * Math.cos(around), far * Math.cos(up) * Math.sin(around),
                        far * Math.sin(up)).add(view.center);
    camera.near = far / 100;
    camera.far = 10 * far;
    camera.lookAt(view.center);
    camera.updateProjectionMatrix();
}

// The tool above the body, and across it if it is a copy of it.
function placeTool(surfaces, across) {
    const body = bounds(surfaces[0]), tool = bounds(surfaces[1]), size = body.getSize(new THREE.Vector3());
    const turn = across ? Math.SQRT1_2 : 1, height = tool.max.z - tool.min.z;
    const centre = body.getCenter(new THREE.Vector3());
    view.size = Math.max(size.x, size.y, size.z);
    view.center.copy(centre);
    const long = size.x >= size.y ? 0.3 * size.x : 0;
    return [centre.x + long, centre.y, body.max.z + 0.5 * height + 0.02 * view.size,
            turn, 0, 0, across ? Math.SQRT1_2 : 0];
}

const handlers = {
    opened({ facets, surfaces, isolated }) {
        view.bodies.forEach((mesh) => { scene.remove(mesh); mesh.geometry.dispose(); });
        view.isolated = isolated;
        view.pose = placeTool(surfaces, view.across);
        view.home = view.pose.slice();
        view.bodies = [makeBody(surfaces[0], facets[0], 0x7f9fbf), makeBody(surfaces[1], facets[1], 0xd8b28a)];
        $('clock').textContent = isolated ? 'fine (isolated page)' : 'coarse (no COOP and COEP headers)';
        send();
        look();
        worker.postMessage({ kind: 'start' });
        ++view.opened;
    },
    frame({ numbers, surfaces, points, history, rate, cost }) {
        view.next = { numbers, surfaces, points };
        view.rate = rate;
        view.cost = cost;
        for (const force of history)
            view.history.push(force);
        view.history.splice(0, Math.max(0, view.history.length - 3000));
    },
    answers({ id, answers, seconds }) { view.answers.get(id)({ answers, seconds }); },
    error({ text }) { fail(text); },
};
worker.onmessage = ({ data }) => handlers[data.kind](data);
worker.onerror = (event) => fail(event.message ?? 'the worker failed');

function send() {
    worker.postMessage({ kind: 'pose', pose: view.pose });
}

async function open(entry) {
    $('message').textContent = '';
    view.across = entry.radius === 0;
    const books = await Promise.all(entry.files.map(async (name) => {
        const answer = await fetch(name);
        if (!answer.ok)
            throw new Error(`${name}: ${answer.status}`);
        return answer.arrayBuffer();
    }));
    view.history = [];
    view.largest = 1e-30;
    worker.postMessage({ kind: 'open', books, radius: entry.radius, friction: entry.friction ?? 0,
                         pose: [0, 0, 1e6, 1, 0, 0, 0] });
}

// ---- drawing ------------------------------------------------------------------------------

function showNext() {
    if (!view.next)
        return;
    const { numbers, surfaces, points } = view.next;
    view.next = null;
    surfaces.forEach((surface, body) => {
        const { geometry } = view.bodies[body];
        geometry.attributes.position.array.set(surface);
        geometry.attributes.position.needsUpdate = true;
        geometry.computeVertexNormals();
    });
    const matrix = new THREE.Matrix4(), radius = 0.008 * view.size, place = new THREE.Vector3();
    view.contacts = points.length / 6;
    for (let i = 0; i < view.contacts; ++i) {
        matrix.makeScale(radius, radius, radius).setPosition(points[6 * i], points[6 * i + 1], points[6 * i + 2]);
        dots.setMatrixAt(i, matrix);
        place.add(new THREE.Vector3(points[6 * i], points[6 * i + 1], points[6 * i + 2]));
    }
    dots.count = view.contacts;
    dots.instanceMatrix.needsUpdate = true;
    view.force = [numbers[0], numbers[1], numbers[2]];
    const force = new THREE.Vector3(...view.force), size = force.length();
    view.largest = Math.max(view.largest, size);
    arrow.visible = view.contacts > 0 && size > 0;
    if (arrow.visible) {
        arrow.position.copy(place.multiplyScalar(1 / view.contacts));
        arrow.setDirection(force.normalize());
        arrow.setLength((0.1 + 0.3 * size / view.largest) * view.size, 0.05 * view.size, 0.025 * view.size);
    }
}

function short(value) {
    return value === 0 ? '0' : value.toPrecision(4);
}

function plot() {
    const canvas = $('plot'), pen = canvas.getContext('2d'), { width, height } = canvas;
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = '#c0392b';
    pen.beginPath();
    const count = view.history.length;
    for (let i = 0; i < width; ++i) {
        const at = Math.floor(i * count / width);
        const y = height - 4 - (height - 8) * (view.history[at] ?? 0) / view.largest;
        if (i === 0)
            pen.moveTo(i, y);
        else
            pen.lineTo(i, y);
    }
    pen.stroke();
}

function tell(now) {
    if (now - view.since < 500)
        return;
    view.fps = 1000 * view.frames / (now - view.since);
    view.frames = 0;
    view.since = now;
    $('contacts').textContent = String(view.contacts);
    $('rate').textContent = `${view.rate.toFixed(0)} Hz`;
    $('cost').textContent = `${(1000 * view.cost).toFixed(0)} µs`;
    $('frames').textContent = `${view.fps.toFixed(0)} a second, ${view.frameCost.toFixed(1)} ms each`;
    $('force').textContent = `force ${short(Math.hypot(...view.force))}`;
    plot();
}

function frame(now) {
    requestAnimationFrame(frame);
    const { clientWidth: width, clientHeight: height } = stage;
    const size = renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) {
        renderer.setSize(width, height);
        camera.aspect = width / Math.max(1, height);
        camera.updateProjectionMatrix();
    }
    const start = performance.now();
    showNext();
    renderer.render(scene, camera);
    view.frameCost = 0.9 * (view.frameCost ?? 0) + 0.1 * (performance.now() - start);
    ++view.frames;
    tell(now);
}

// ---- moving the tool ------------------------------------------------------------------------

const pointers = new Map(), caster = new THREE.Raycaster();
let drag = null;

function towards(event) {
    const box = stage.getBoundingClientRect();
    caster.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1,
                                           1 - 2 * (event.clientY - box.top) / box.height), camera);
    return caster;
}

// Where the pointer is, in the plane through the tool that faces the camera.
function onPlane(event) {
    const normal = camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...view.pose));
    return towards(event).ray.intersectPlane(plane, new THREE.Vector3());
}

function move(by) {
    view.pose[0] += by.x;
    view.pose[1] += by.y;
    view.pose[2] += by.z;
    send();
}

stage.addEventListener('pointerdown', (event) => {
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const hit = view.bodies.length > 0 && towards(event).intersectObjects(view.bodies).length > 0;
    if (pointers.size === 1)
        drag = hit ? { last: onPlane(event) } : { turn: [event.clientX, event.clientY] };
    event.preventDefault();
});
stage.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId) || drag === null)
        return;
    const old = pointers.get(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size > 1) {
        move(camera.getWorldDirection(new THREE.Vector3()).multiplyScalar((old[1] - event.clientY) * 1e-3 * view.size));
    } else if (drag.turn) {
        view.angle[0] -= 0.008 * (event.clientX - drag.turn[0]);
        view.angle[1] = Math.max(-1.5, Math.min(1.5, view.angle[1] + 0.008 * (event.clientY - drag.turn[1])));
        drag.turn = [event.clientX, event.clientY];
        look();
    } else {
        const here = onPlane(event);
        if (here !== null && drag.last !== null) {
            move(here.clone().sub(drag.last));
            drag.last = here;
        }
    }
});
for (const end of ['pointerup', 'pointercancel'])
    stage.addEventListener(end, (event) => {
        pointers.delete(event.pointerId);
        drag = null;
    });
stage.addEventListener('wheel', (event) => {
    move(camera.getWorldDirection(new THREE.Vector3()).multiplyScalar(-2e-4 * event.deltaY * view.size));
    event.preventDefault();
}, { passive: false });

// For tests and for those who want to look inside.
window.palpate = {
    view,
    setPose(pose) {
        view.pose = pose.slice();
        send();
    },
    run(poses) {
        return new Promise((resolve) => {
            const id = view.answers.size;
            view.answers.set(id, resolve);
            worker.postMessage({ kind: 'run', poses, id });
        });
    },
    start() { worker.postMessage({ kind: 'start' }); },
    screen() {  // where the tool is on the screen
        const at = new THREE.Vector3(...view.pose).project(camera), box = stage.getBoundingClientRect();
        return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
    },
};

requestAnimationFrame(frame);
fetch('scenes.json').then((answer) => answer.json()).then((entries) => {
    entries.forEach((entry, i) => $('scenes').append(new Option(entry.name, String(i))));
    $('scenes').onchange = () => open(entries[$('scenes').value]).catch((error) => fail(error.message));
    return open(entries[0]);
}).catch((error) => fail(error.message));
