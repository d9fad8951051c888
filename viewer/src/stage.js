// The turnable picture: the surface at the start and at the end, coloured by a field.
import {
    AmbientLight, BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, DoubleSide,
    LinearFilter, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, PerspectiveCamera,
    RGBAFormat, Scene, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import { element, show } from './data.js';

const MAP_SIZE = 256;

function mapped(colours, share) {
    const place = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
    const stop = Math.min(Math.floor(place), colours.length - 2);
    return colours[stop].map((c, i) => c + (place - stop) * (colours[stop + 1][i] - c));
}

// A strip of colours: fields are looked up in it, so that values, not colours, are interpolated.
function strip(colours) {
    const pixels = new Uint8Array(4 * MAP_SIZE);
    for (let i = 0; i < MAP_SIZE; ++i)
        pixels.set([...mapped(colours, i / (MAP_SIZE - 1)).map(Math.round), 255], 4 * i);
    const texture = new DataTexture(pixels, MAP_SIZE, 1, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = texture.minFilter = LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

// Sides of the mesh's facets, each once.
function meshLines(surface, first, count) {
    const seen = new Set();
    const lines = [];
    for (let t = first; t < first + count; ++t)
        for (let a = 0; a < 3; ++a) {
            if (!(surface.edges[t] >> a & 1))
                continue;
            const p = surface.triangles[3 * t + a];
            const q = surface.triangles[3 * t + (a + 1) % 3];
            const key = Math.min(p, q) * surface.points + Math.max(p, q);
            if (!seen.has(key)) {
                seen.add(key);
                lines.push(p, q);
            }
        }
    return new Uint32Array(lines);
}

function buildBodies(surface, scene, position, uv, texture) {
    return surface.bodies.map((body) => {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', position);
        geometry.setAttribute('uv', uv);
        geometry.setIndex(new BufferAttribute(
            surface.triangles.subarray(3 * body.first, 3 * (body.first + body.count)), 1));
        const material = new MeshLambertMaterial({
            side: DoubleSide,
            flatShading: true,
            polygonOffset: true,
            polygonOffsetFactor: 1,
            polygonOffsetUnits: 1,
            ...(body.faint ? { transparent: true, opacity: 0.3, depthWrite: false } : {}),
            ...(body.rigid ? { color: 0xb0b6c0 } : { map: texture }),
        });
        const lineGeometry = new BufferGeometry();
        lineGeometry.setAttribute('position', position);
        lineGeometry.setIndex(new BufferAttribute(meshLines(surface, body.first, body.count), 1));
        const lines = new LineSegments(lineGeometry,
            new LineBasicMaterial({ transparent: true, opacity: body.rigid || body.faint ? 0.15 : 0.35 }));
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = lines.frustumCulled = false;
        mesh.renderOrder = lines.renderOrder = body.faint ? 1 : 0;  // over what one sees through it
        scene.add(mesh, lines);
        return { body, mesh, lines };
    });
}

// Calls with each point at the start and, if wanted, at the end.
function forPoints(surface, withEnd, visit) {
    const { start, displacement } = surface;
    const at = new Vector3();
    for (let i = 0; i < start.length; i += 3) {
        visit(at.set(start[i], start[i + 1], start[i + 2]));
        if (withEnd)
            visit(at.set(start[i] + displacement[i], start[i + 1] + displacement[i + 1], start[i + 2] + displacement[i + 2]));
    }
}

function boundsOf(visitAll) {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    visitAll((at) => {
        low.min(at);
        high.max(at);
    });
    return { centre: low.clone().add(high).multiplyScalar(0.5), extent: high.clone().sub(low) };
}

class Stage {
    constructor(data, box) {
        this.surface = data.surface;
        this.colours = data.colours;
        this.box = box;
        this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute('aria-label', 'Surface of the bodies in three dimensions. ' +
            'Arrow keys turn it, plus and minus zoom, Home resets the view.');
        this.scene = new Scene();
        this.camera = new PerspectiveCamera(30, 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        const lamp = new DirectionalLight(0xffffff, 2.4);
        lamp.position.set(-0.55, 0.9, 1);
        this.camera.add(lamp, lamp.target);
        this.scene.add(this.camera, new AmbientLight(0xffffff, 1.35));
        const points = this.surface.points;
        this.position = new BufferAttribute(new Float32Array(3 * points), 3);
        this.uv = new BufferAttribute(new Float32Array(2 * points), 2);
        this.bodies = buildBodies(this.surface, this.scene, this.position, this.uv, strip(this.colours));
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.addEventListener('change', () => this.draw());
        this.controls.enableZoom = false;  // the wheel scrolls the page until the picture is used
        this.canvas.addEventListener('focus', () => { this.controls.enableZoom = true; });
        this.canvas.addEventListener('blur', () => { this.controls.enableZoom = false; });
        this.canvas.addEventListener('pointerdown', () => this.canvas.focus({ preventScroll: true }));
        this.canvas.addEventListener('keydown', (event) => this.onKey(event));
        box.prepend(this.canvas);
        new ResizeObserver(() => this.resize()).observe(box);
    }

    // Looks from the same side as the still picture, from where start and end just fit.
    resetView() {
        // A body that flew apart would leave nothing else to be seen: then only the start counts.
        const size = (withEnd) => boundsOf((visit) => forPoints(this.surface, withEnd, visit)).extent.length();
        const calm = size(true) < 10 * size(false);
        const visitAll = (visit) => forPoints(this.surface, calm, visit);
        const { centre, extent } = boundsOf(visitAll);
        const away = (extent.x >= extent.y ? new Vector3(0.55, -1, 0.5) : new Vector3(1, -0.55, 0.5)).normalize();
        const right = new Vector3(0, 0, 1).cross(away).normalize();
        const up = away.clone().cross(right);
        const seen = new Vector3();
        const turned = (visit) => visitAll((at) => {
            at.sub(centre);
            visit(seen.set(at.dot(right), at.dot(up), at.dot(away)));
        });
        const middle = boundsOf(turned).centre;
        const tall = Math.tan(this.camera.fov * Math.PI / 360) * 0.9;
        const wide = tall * this.camera.aspect;
        let distance = 1e-30;
        turned((at) => {
            distance = Math.max(distance, at.z + Math.abs(at.x - middle.x) / wide, at.z + Math.abs(at.y - middle.y) / tall);
        });
        centre.addScaledVector(right, middle.x).addScaledVector(up, middle.y);
        this.camera.near = distance / 100;
        this.camera.far = distance * 10;
        this.camera.position.copy(centre).addScaledVector(away, distance);
        this.controls.target.copy(centre);
        this.controls.minDistance = distance / 50;
        this.controls.maxDistance = distance * 5;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.box;
        if (width === 0 || height === 0)
            return;
        const first = !this.sized;
        this.sized = true;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (first)
            this.resetView();
        this.draw();
    }

    draw() {
        this.renderer.render(this.scene, this.camera);
    }

    setShare(share) {
        const { start, displacement } = this.surface;
        const out = this.position.array;
        for (let i = 0; i < out.length; ++i)
            out[i] = start[i] + share * displacement[i];
        this.position.needsUpdate = true;
        this.draw();
    }

    setField(field) {
        const out = this.uv.array;
        for (let n = 0; n < field.values.length; ++n) {
            const share = field.top > 0 ? Math.min(field.values[n] / field.top, 1) : 0;
            out[2 * n] = (share * (MAP_SIZE - 1) + 0.5) / MAP_SIZE;
            out[2 * n + 1] = 0.5;
        }
        this.uv.needsUpdate = true;
        this.draw();
    }

    setLines(shown) {
        for (const { mesh, lines } of this.bodies)
            lines.visible = shown && mesh.visible;
        this.lined = shown;
        this.draw();
    }

    setVisible(index, shown) {
        this.bodies[index].mesh.visible = shown;
        this.setLines(this.lined);
    }

    recolour() {
        const ink = getComputedStyle(document.documentElement).getPropertyValue('--mesh').trim();
        for (const { lines } of this.bodies)
            lines.material.color = new Color(ink);
        this.draw();
    }

    onKey(event) {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const turn = Math.PI / 24;
        const side = new Vector3(0, 0, 1).cross(offset).normalize();
        const steps = {
            ArrowLeft: () => offset.applyAxisAngle(this.camera.up, -turn),
            ArrowRight: () => offset.applyAxisAngle(this.camera.up, turn),
            ArrowUp: () => offset.applyAxisAngle(side, -turn),
            ArrowDown: () => offset.applyAxisAngle(side, turn),
            '+': () => offset.multiplyScalar(1 / 1.15),
            '=': () => offset.multiplyScalar(1 / 1.15),
            '-': () => offset.multiplyScalar(1.15),
        };
        if (event.key === 'Home') {
            event.preventDefault();
            this.resetView();
        } else if (steps[event.key]) {
            event.preventDefault();
            steps[event.key]();
            // Looking straight up or down has no upward side: such a step is not taken.
            if (Math.abs(offset.clone().normalize().z) < 0.995)
                this.camera.position.copy(this.controls.target).add(offset);
            this.controls.update();
            this.draw();
        }
    }
}

function makeLegend(colours) {
    const stops = colours.map((c, i) => `rgb(${c.join(' ')}) ${100 * i / (colours.length - 1)}%`);
    const bar = element('div', { className: 'bar' });
    bar.style.background = `linear-gradient(to top, ${stops.join(', ')})`;
    const title = element('strong');
    const more = element('small');
    const legend = element('div', { className: 'legend' }, title, bar, more);
    return {
        legend,
        show(field) {
            title.textContent = field.name;
            const steps = field.steps > 0 ? field.steps : 1;
            bar.replaceChildren(...Array.from({ length: steps + 1 }, (_, i) => i / steps).map((share) => {
                const above = share === 1 && field.top < field.highest ? '> ' : '';
                const label = element('span', {}, above + show(share * field.top, 3));
                label.style.bottom = `${100 * share}%`;
                return label;
            }));
            more.textContent = field.top < field.highest ? `highest ${show(field.highest, 3)}` : '';
        },
    };
}

function makeControls(data, stage, legend) {
    const { fields, bodies } = data.surface;
    const select = element('select', {}, ...fields.map((field, i) => element('option', { value: i }, field.name)));
    const amount = element('output', {}, '100 %');
    const slider = element('input', { type: 'range', min: 0, max: 100, value: 100, step: 1 });
    const lines = element('input', { type: 'checkbox', checked: true });
    const apply = () => {
        stage.setShare(slider.value / 100);
        amount.textContent = `${slider.value} %`;
    };
    const choose = () => {
        stage.setField(fields[select.value]);
        legend.show(fields[select.value]);
    };
    const jump = (value) => () => {
        slider.value = value;
        apply();
    };
    slider.addEventListener('input', apply);
    select.addEventListener('change', choose);
    lines.addEventListener('change', () => stage.setLines(lines.checked));
    if (!(fields[0].highest > 0))
        select.value = 1;
    choose();
    apply();
    stage.setLines(true);
    const controls = element('div', { className: 'controls' },
        element('label', {}, 'Colour', select),
        element('button', { type: 'button', onclick: jump(0) }, 'First frame'),
        element('button', { type: 'button', onclick: jump(100) }, 'Last frame'),
        element('label', { className: 'grow' }, 'Deformation', slider, amount),
        element('label', {}, lines, 'Mesh lines'),
        element('button', { type: 'button', onclick: () => stage.resetView() }, 'Reset view'));
    const toggles = element('fieldset', { className: 'bodies' }, element('legend', {}, 'Bodies'));
    bodies.forEach((body, index) => {
        const box = element('input', { type: 'checkbox', checked: true });
        box.addEventListener('change', () => stage.setVisible(index, box.checked));
        toggles.append(element('label', {}, box, body.name));
    });
    return { controls, toggles };
}

function stillPicture(data, reason) {
    const children = [element('p', { className: 'note' }, reason)];
    if (data.picture)
        children.push(element('img', {
            className: 'still',
            src: `data:image/png;base64,${data.picture}`,
            alt: `Still picture of the last frame of ${data.title}`,
        }));
    return children;
}

// The card with the picture, and what to call when the colours of the page change.
export function makeStage(data) {
    const card = element('section', { className: 'card', id: 'picture' }, element('h2', {}, 'Picture'));
    if (!data.surface) {
        card.append(...stillPicture(data, 'The surface is too large to be turned in a page; open the frames in ParaView.'));
        return { card, recolour() {} };
    }
    const box = element('div', { className: 'stage' });
    try {
        const stage = new Stage(data, box);
        const legend = makeLegend(data.colours);
        const { controls, toggles } = makeControls(data, stage, legend);
        box.append(legend.legend);
        card.append(controls, box, toggles, element('p', { className: 'hint' },
            'Drag to turn, wheel or pinch to zoom, right button or two fingers to move; arrow keys, + and − and Home once selected. ' +
            'Units are those of the scene. Stress is the mean of the elements around each node, at the last frame; ' +
            (data.summary.contact.on ? 'contact pressure is the force of contact on a node, friction included, over the area around it; ' : '') +
            'shapes between the first and the last frame are scaled, not simulated.'));
        stage.recolour();
        return { card, recolour: () => stage.recolour() };
    } catch (failure) {
        card.append(...stillPicture(data, 'This browser offers no WebGL, so the picture cannot be turned.'));
        return { card, recolour() {} };
    }
}
