// The picture of two bodies that touch, and the hand that leads one of them.
import {
    AmbientLight, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight,
    DoubleSide, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh,
    MeshBasicMaterial, MeshLambertMaterial, PerspectiveCamera, Plane, Points, PointsMaterial, Quaternion, Raycaster, Scene,
    SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const DARK = matchMedia('(prefers-color-scheme: dark)');
const BASES = [new Color(0x4f9db5), new Color(0xd9a45b)];
const WARM = [new Color(0xe8563f), new Color(0xe8563f)];
const POINT_MAX = 256;
const UP = new Vector3(0, 1, 0);
const LABEL = 100;    // pixels beside the arrow
const FILLED = 0.86;  // of the free room
const ARROW = [0.05, 0.15];  // its length with no force, and how much longer with the largest, of the body's size

// Sides of triangles, each once, with the cosine between the triangles beside it.
function sidesOf(points, facets) {
    const sides = new Map();
    const normals = [];
    const corner = (n) => new Vector3(points[3 * n], points[3 * n + 1], points[3 * n + 2]);
    for (let f = 0; f < facets.length; f += 3) {
        const [a, b, c] = [corner(facets[f]), corner(facets[f + 1]), corner(facets[f + 2])];
        normals.push(b.sub(a).cross(c.sub(a)).normalize());
        for (let i = 0; i < 3; ++i) {
            const [p, q] = [facets[f + i], facets[f + (i + 1) % 3]];
            const key = Math.min(p, q) * 1e7 + Math.max(p, q);
            const side = sides.get(key);
            if (side)
                side.cosine = normals[side.facet].dot(normals[f / 3]);
            else
                sides.set(key, { p, q, facet: f / 3, cosine: 1 });
        }
    }
    return [...sides.values()];
}

class Body {
    constructor(rest, facets, held, index) {
        this.rest = rest;
        this.index = index;
        const sides = sidesOf(rest, facets);
        const sharp = sides.filter((side) => side.cosine < 0.7);
        this.flat = sharp.length > 0.08 * sides.length;  // it has edges that are meant
        this.position = new BufferAttribute(rest.slice(), 3).setUsage(DynamicDrawUsage);
        this.colour = new BufferAttribute(new Float32Array(rest.length), 3).setUsage(DynamicDrawUsage);
        this.geometry = new BufferGeometry();
        this.geometry.setAttribute('position', this.position);
        this.geometry.setAttribute('color', this.colour);
        this.geometry.setIndex(new BufferAttribute(facets, 1));
        this.mesh = new Mesh(this.geometry, new MeshLambertMaterial({
            vertexColors: true, flatShading: this.flat, side: DoubleSide,
            polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
        }));
        this.group = new Group();
        this.group.add(this.mesh);
        const drawn = this.flat ? sides.filter((side) => side.cosine < 0.999) : sides;
        const lines = new BufferGeometry();
        lines.setAttribute('position', this.position);
        lines.setIndex(drawn.flatMap((side) => [side.p, side.q]));
        this.lines = new LineSegments(lines, new LineBasicMaterial({
            color: 0x0c1822, transparent: true, opacity: this.flat ? 0.55 : 0.1 }));
        this.group.add(this.lines);
        this.group.add(this.holds(held));
        if (index === 0)
            this.group.add(this.ghost(this.flat ? sharp : sides.filter((side, i) => i % 3 === 0)));
        for (const child of this.group.children)
            child.frustumCulled = false;
    }

    // Dots where it is held.
    holds(held) {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', this.position);
        const nodes = held ? [...held.keys()].filter((n) => held[n]) : [];
        geometry.setIndex(nodes);
        const size = nodes.length > 60 ? 2 : 5;  // many would run into one blot
        return new Points(geometry, new PointsMaterial({ color: DARK.matches ? 0xdde6ee : 0x22303c, size, sizeAttenuation: false }));
    }

    // Where it is at rest.
    ghost(sides) {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(this.rest, 3));
        geometry.setIndex(sides.flatMap((side) => [side.p, side.q]));
        return new LineSegments(geometry, new LineBasicMaterial({
            color: 0x7d8fa1, transparent: true, opacity: this.flat ? 0.6 : 0.12, depthWrite: false }));
    }

    // Takes a surface in space; returns the largest displacement in its own coordinates.
    update(surface, at, turn) {
        const back = turn.clone().invert();
        const point = new Vector3();
        const moved = this.moved ??= new Float32Array(surface.length / 3);
        let most = 0;
        for (let n = 0; n < moved.length; ++n) {
            point.fromArray(surface, 3 * n).sub(at).applyQuaternion(back);
            moved[n] = Math.hypot(point.x - this.rest[3 * n], point.y - this.rest[3 * n + 1], point.z - this.rest[3 * n + 2]);
            most = Math.max(most, moved[n]);
        }
        this.position.array.set(surface);
        this.position.needsUpdate = true;
        if (!this.flat)
            this.geometry.computeVertexNormals();
        return most;
    }

    paint(top) {
        const colour = new Color();
        for (let n = 0; n < this.moved.length; ++n)
            colour.lerpColors(BASES[this.index], WARM[this.index], Math.min(this.moved[n] / top, 1)).toArray(this.colour.array, 3 * n);
        this.colour.needsUpdate = true;
    }

    destroy() {
        for (const child of this.group.children) {
            child.geometry.dispose();
            child.material.dispose();
        }
        this.group.removeFromParent();
    }
}

// An arrow as long as a force is large, that is seen through bodies.
function makeArrow() {
    const material = new MeshBasicMaterial({ color: 0xd81b60, depthTest: false, transparent: true });
    const shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material);
    const head = new Mesh(new ConeGeometry(2.6, 6, 16).translate(0, 3, 0), material);
    const arrow = new Group();
    arrow.add(shaft, head);
    arrow.renderOrder = shaft.renderOrder = head.renderOrder = 3;
    arrow.point = (from, direction, length, width) => {
        arrow.visible = length > 0;
        arrow.position.copy(from);
        arrow.quaternion.setFromUnitVectors(UP, direction);
        shaft.scale.set(width, Math.max(length - 5 * width, 1e-9), width);
        head.scale.setScalar(width);
        head.position.y = Math.max(length - 6 * width, 0);
    };
    return arrow;
}

export class Stage {
    constructor(box, onMove) {
        this.box = box;
        this.onMove = onMove;
        this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'application');
        this.canvas.setAttribute('aria-label', 'Two bodies. Arrow keys move the tool, page up and page down move it away and nearer, Home puts it back.');
        this.scene = new Scene();
        this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        const lamp = new DirectionalLight(0xffffff, 2.3);
        lamp.position.set(-0.5, 0.9, 0.8);
        this.camera.add(lamp, lamp.target);
        this.arrow = makeArrow();
        this.points = new InstancedMesh(new SphereGeometry(1, 10, 8),
            new MeshBasicMaterial({ color: 0xfff3b0, depthTest: false, transparent: true }), POINT_MAX);
        this.points.renderOrder = 2;
        this.points.frustumCulled = false;
        this.scene.add(this.camera, new AmbientLight(0xffffff, 1.4), this.arrow, this.points);
        this.bodies = [];
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.enablePan = false;
        this.controls.addEventListener('start', () => { this.chosen = true; });
        this.turning = false;
        this.listen();
        box.prepend(this.canvas);
        new ResizeObserver(() => this.resize()).observe(box);
        this.resize();
    }

    // New bodies, as the worker tells of them.
    open({ rest, facets, held, pose, scale, limit, ball }) {
        for (const body of this.bodies)
            body.destroy();
        this.stem?.removeFromParent();
        this.stem = null;
        this.bodies = rest.map((points, index) => new Body(points, facets[index], held[index], index));
        this.scene.add(...this.bodies.map((body) => body.group));
        if (ball)
            this.addStem();
        this.scale = scale;
        this.limit = limit;
        this.top = 0.02 * scale;
        this.start = pose;
        this.wanted = pose.slice();
        this.resetView();
    }

    // What holds the ball: seen, but not felt.
    addStem() {
        const radius = Math.max(...this.bodies[1].rest);
        this.stem = new Mesh(new CylinderGeometry(0.28 * radius, 0.28 * radius, 3 * radius, 16).rotateX(Math.PI / 2).translate(0, 0, 2.2 * radius),
            new MeshLambertMaterial({ color: 0xb7bfc8 }));
        this.scene.add(this.stem);
    }

    // Calls for each point of both bodies where they start, for one on the stem of a ball, and for the tip of an arrow
    // of the largest force.
    eachPoint(call) {
        const point = new Vector3();
        const turn = new Quaternion(this.start[4], this.start[5], this.start[6], this.start[3]);
        const place = new Vector3(...this.start);
        let under = Infinity;  // of the tool
        for (const body of this.bodies)
            for (let i = 0; i < body.rest.length; i += 3) {
                point.fromArray(body.rest, i);
                if (body.index === 1) {
                    point.applyQuaternion(turn).add(place);
                    under = Math.min(under, point.z);
                }
                call(point);
            }
        call(point.set(place.x, place.y, under + (ARROW[0] + ARROW[1]) * this.scale));
        if (this.stem)
            call(place.add(point.set(0, 0, 3 * Math.max(...this.bodies[1].rest)).applyQuaternion(turn)));
    }

    // What the panels leave free, in pixels of the box: beside the numbers or above them, whichever shows more of this
    // shape. The words are above, below the menus, or in the corner opposite the numbers.
    freeRoom(shape) {
        const box = this.box.getBoundingClientRect();
        const [menus, hint, numbers] = ['header', '#hint', 'aside'].map((name) => this.box.querySelector(name).getBoundingClientRect());
        const onTop = hint.bottom < box.top + box.height / 2;
        const room = (right, bottom) => ({ left: 0, top: Math.max(menus.bottom, onTop ? hint.bottom : 0) - box.top, right, bottom });
        const rooms = [room(box.width, numbers.top - box.top),
            room(numbers.left - box.left, onTop ? box.height : hint.top - box.top)];
        const scale = ({ left, top, right, bottom }) => Math.min((right - left) / shape, bottom - top);
        return rooms.reduce((best, other) => (scale(other) > scale(best) ? other : best));
    }

    // The middle of the picture is that of a room.
    lookThrough(room) {
        const { clientWidth: width, clientHeight: height } = this.box;
        this.camera.setViewOffset(width, height, (width - room.left - room.right) / 2, (height - room.top - room.bottom) / 2, width, height);
    }

    // As near as lets all of both bodies be seen, clear of what lies over the rims, with room for the arrow.
    resetView() {
        const { clientWidth: width, clientHeight: height } = this.box;
        this.chosen = false;  // the direction and the distance, by hand
        const low = new Vector3(Infinity, Infinity, Infinity);
        const high = low.clone().negate();
        const back = new Vector3(0.5, -1, 0.42).normalize();
        const right = new Vector3().crossVectors(this.camera.up, back).normalize();
        const up = new Vector3().crossVectors(back, right);
        const point = new Vector3();
        this.eachPoint((place) => {  // as seen: to the right, up, and towards the eye
            point.set(place.dot(right), place.dot(up), place.dot(back));
            low.min(point);
            high.max(point);
        });
        const middle = low.clone().add(high).multiplyScalar(0.5);
        this.shape = (high.x - low.x) / (high.y - low.y);
        const room = this.freeRoom(this.shape);
        const half = Math.tan(this.camera.fov * Math.PI / 360);
        const [across, along] = [FILLED * half * (room.right - room.left) / height, FILLED * half * (room.bottom - room.top) / height];
        let distance = 0;
        this.eachPoint((place) => {
            const [x, y] = [place.dot(right) - middle.x, place.dot(up) - middle.y];
            distance = Math.max(distance, Math.max(Math.abs(x) / across, Math.abs(y) / along) + place.dot(back) - middle.z);
        });
        const centre = new Vector3().addScaledVector(right, middle.x).addScaledVector(up, middle.y).addScaledVector(back, middle.z);
        this.camera.position.copy(centre).addScaledVector(back, distance);
        this.camera.near = distance / 100;
        this.camera.far = distance * 10;
        this.camera.aspect = width / height;
        this.lookThrough(room);
        this.controls.target.copy(centre);
        this.controls.minDistance = distance / 10;
        this.controls.maxDistance = distance * 4;
        this.controls.update();
        this.room = room;
        this.seen = [width, height];
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.box;
        if (width === 0 || height === 0)
            return;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (!this.seen || (this.seen[0] === width && this.seen[1] === height))
            return;
        if (!this.chosen) {
            this.resetView();
            return;
        }
        this.room = this.freeRoom(this.shape);
        this.lookThrough(this.room);
        this.seen = [width, height];
    }

    // What the loop says, as a picture. Returns the largest displacements.
    show(picture) {
        const at = new Vector3(...picture.pose.slice(0, 3));
        const turn = new Quaternion(picture.pose[4], picture.pose[5], picture.pose[6], picture.pose[3]);
        const most = [this.bodies[0].update(picture.surfaces[0], new Vector3(), new Quaternion()),
            this.bodies[1].update(picture.surfaces[1], at, turn)];
        this.top = Math.max(0.01 * this.scale, most[0], most[1], 0.995 * this.top);
        this.bodies.forEach((body) => body.paint(this.top));
        this.stem?.position.copy(at);
        this.stem?.quaternion.copy(turn);
        this.showPoints(picture);
        return most;
    }

    showPoints({ points, force }) {
        const count = Math.min(points.length / 6, POINT_MAX);
        const matrix = new Matrix4();
        const middle = new Vector3();
        let sum = 0;
        for (let c = 0; c < count; ++c) {
            const size = Math.hypot(...points.subarray(6 * c + 3, 6 * c + 6));
            const place = new Vector3().fromArray(points, 6 * c);
            middle.addScaledVector(place, size);
            sum += size;
            const radius = this.scale * 0.0045;
            matrix.makeScale(radius, radius, radius).setPosition(place);
            this.points.setMatrixAt(c, matrix);
        }
        this.points.count = count;
        this.points.instanceMatrix.needsUpdate = true;
        const size = Math.hypot(...force);
        this.tip = null;
        if (size > 0 && sum > 0) {
            const direction = new Vector3(...force).divideScalar(size);
            const length = this.scale * (ARROW[0] + ARROW[1] * Math.min(size / this.limit, 1.5));
            middle.divideScalar(sum);
            this.arrow.point(middle, direction, length, this.scale * 0.005);
            this.tip = middle.clone().addScaledVector(direction, length);
        } else {
            this.arrow.visible = false;
        }
    }

    // Where the arrow ends, in pixels of the box, or next to there where it is not hidden; null: there is none.
    tipOnScreen() {
        if (!this.tip)
            return null;
        const p = this.tip.clone().project(this.camera);
        const { left, top, right, bottom } = this.room;
        const within = (value, least, most) => Math.min(Math.max(value, least), most);
        return [within((p.x + 1) / 2 * this.box.clientWidth, left, right - LABEL),
            within((1 - p.y) / 2 * this.box.clientHeight, top + 18, bottom - 18)];
    }

    draw() {
        this.renderer.render(this.scene, this.camera);
    }

    // ---- the hand ---------------------------------------------------------------------------

    listen() {
        const canvas = this.canvas;
        canvas.addEventListener('pointerdown', (event) => this.grab(event), { capture: true });
        canvas.addEventListener('pointermove', (event) => this.drag(event));
        for (const name of ['pointerup', 'pointercancel'])
            canvas.addEventListener(name, (event) => this.release(event));
        canvas.addEventListener('wheel', (event) => this.pushByWheel(event), { capture: true, passive: false });
        canvas.addEventListener('keydown', (event) => this.onKey(event));
    }

    ray(event) {
        const box = this.canvas.getBoundingClientRect();
        const caster = new Raycaster();
        caster.setFromCamera(new Vector2(2 * (event.clientX - box.left) / box.width - 1,
            1 - 2 * (event.clientY - box.top) / box.height), this.camera);
        return caster;
    }

    // The place of the tool under the pointer; with a finger, near it is enough.
    hit(event) {
        const tool = this.bodies[1];
        if (!tool)
            return null;
        tool.geometry.computeBoundingSphere();
        const caster = this.ray(event);
        const found = caster.intersectObjects(this.bodies.map((body) => body.mesh), false)[0];
        if (found && found.object === tool.mesh)
            return found.point;
        const near = this.camera.position.distanceTo(this.controls.target) * (event.pointerType === 'touch' ? 0.035 : 0.012);
        if (this.stem && caster.intersectObject(this.stem).length > 0)
            return tool.geometry.boundingSphere.center.clone();
        let best = near;
        let place = null;
        const point = new Vector3();
        for (let i = 0; i < tool.position.array.length; i += 3) {
            const away = caster.ray.distanceToPoint(point.fromArray(tool.position.array, i));
            if (away < best) {
                best = away;
                place = point.clone();
            }
        }
        return place;
    }

    grab(event) {
        this.canvas.focus({ preventScroll: true });
        this.canvas.classList.remove('keys');
        if (this.held || event.button !== 0)
            return;
        const place = this.hit(event);
        if (!place)
            return;
        event.stopImmediatePropagation();
        this.controls.enabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), place);
        this.held = { pointer: event.pointerId, plane, place, from: this.wanted.slice(), last: event,
                      turning: this.turning || event.shiftKey };
        this.canvas.classList.add('held');
    }

    drag(event) {
        if (!this.held) {
            this.canvas.classList.toggle('over', event.pointerType === 'mouse' && event.buttons === 0 && this.hit(event) !== null);
            return;
        }
        if (event.pointerId !== this.held.pointer)
            return;
        if (this.held.turning)
            this.turnBy(event.clientX - this.held.last.clientX, event.clientY - this.held.last.clientY);
        else {
            const now = this.ray(event).ray.intersectPlane(this.held.plane, new Vector3());
            if (now)
                now.sub(this.held.place).toArray().forEach((way, i) => { this.wanted[i] = this.held.from[i] + way; });
        }
        this.held.last = event;
        this.onMove(this.wanted);
    }

    turnBy(right, down) {
        const angle = 0.008;
        const side = new Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion);
        const turn = new Quaternion(this.wanted[4], this.wanted[5], this.wanted[6], this.wanted[3])
            .premultiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), angle * right))
            .premultiply(new Quaternion().setFromAxisAngle(side, angle * down));
        this.wanted.splice(3, 4, turn.w, turn.x, turn.y, turn.z);
    }

    release(event) {
        if (!this.held || event.pointerId !== this.held.pointer)
            return;
        this.held = null;
        this.controls.enabled = true;
        this.canvas.classList.remove('held');
    }

    move(direction, length) {
        for (let i = 0; i < 3; ++i) {
            this.wanted[i] += length * direction.getComponent(i);
            if (this.held)
                this.held.from[i] += length * direction.getComponent(i);
        }
        this.onMove(this.wanted);
    }

    pushByWheel(event) {
        if (!this.held && this.hit(event) === null)
            return;  // the wheel zooms
        event.preventDefault();
        event.stopImmediatePropagation();
        this.move(this.camera.getWorldDirection(new Vector3()), -Math.sign(event.deltaY) * 0.01 * this.scale);
    }

    putBack() {
        this.wanted = this.start.slice();
        this.onMove(this.wanted);
    }

    onKey(event) {
        this.canvas.classList.add('keys');
        const axis = (x, y, z) => new Vector3(x, y, z).applyQuaternion(this.camera.quaternion);
        const steps = {
            ArrowLeft: axis(-1, 0, 0), ArrowRight: axis(1, 0, 0), ArrowUp: axis(0, 1, 0), ArrowDown: axis(0, -1, 0),
            PageUp: axis(0, 0, -1), PageDown: axis(0, 0, 1),
        };
        if (steps[event.key])
            this.move(steps[event.key], 0.005 * this.scale);
        else if (event.key === 'Home')
            this.putBack();
        else
            return;
        event.preventDefault();
    }
}
