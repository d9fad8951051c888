// The haptic loop: viewer/wasm/touch.c as WebAssembly, a step every millisecond. Bundled behind what
// the compiler made, which defines palpateTouch.
//
// It asks for the time it has to sleep with Atomics.wait, which a page may do only when it is isolated
// (COOP and COEP headers). Elsewhere a timer wakes it, which browsers hold back to four milliseconds.
/* global palpateTouch */

const PERIOD = 1;       // ms
const SLICE = 4;        // ms between looks at messages
const DEADLINE = 1.2e-3;  // seconds: a step that has no more time looks at fewer points
const LISTED = 20;      // as in touch.c
const QUALITIES = ['full', 'predicted', 'coarse', 'held', 'beyond'];

let wasm = null;
let running = false;
let speed = 0;  // of the tool, length per ms
let scale = 1;
const bell = self.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
const channel = new MessageChannel();
const rate = { since: 0, steps: 0, busy: 0, worst: 0, quality: [0, 0, 0, 0, 0], told: null };
let next = 0;
let last = 0;

function copyIn(bytes) {
    const at = wasm._malloc(bytes.byteLength);
    wasm.HEAPU8.set(bytes, at);
    return at;
}

function read(body, buffer) {
    const at = copyIn(new Uint8Array(buffer));
    const status = wasm._touch_read(body, at, buffer.byteLength);
    wasm._free(at);
    return status === 0;
}

function boundsOf(points, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity]) {
    for (let i = 0; i < points.length; ++i) {
        low[i % 3] = Math.min(low[i % 3], points[i]);
        high[i % 3] = Math.max(high[i % 3], points[i]);
    }
    return { low, high };
}

// A place to be touched at: on the side away from where the body is held.
function anchorOf(points, held) {
    const { low, high } = boundsOf(points);
    const middle = low.map((a, i) => (a + high[i]) / 2);
    const mean = [0, 0, 0];
    let count = 0;
    for (let n = 0; held && n < points.length / 3; ++n)
        if (held[n]) {
            ++count;
            for (let i = 0; i < 3; ++i)
                mean[i] += points[3 * n + i];
        }
    return count === 0 ? middle : middle.map((a, i) => a + 0.6 * (a - mean[i] / count));
}

// Whether a body is held at its lower side: as a tool it comes upside down, so that its free side touches.
function standsOn(points, held) {
    const { low, high } = boundsOf(points);
    let [sum, count] = [0, 0];
    for (let n = 0; held && n < points.length / 3; ++n)
        if (held[n]) {
            sum += points[3 * n + 2];
            ++count;
        }
    return count > 0 && sum / count < 0.75 * low[2] + 0.25 * high[2];
}

// Above the first body, a quarter turn about the vertical if it is a body itself.
function startPose(rest, held, ball) {
    const h = Math.SQRT1_2;
    const down = !ball && standsOn(rest[1], held[1]);
    const turn = ball ? [1, 0, 0, 0] : down ? [0, h, -h, 0] : [h, 0, 0, -h];
    const turned = new Float32Array(rest[1].length);
    for (let i = 0; i < turned.length; i += 3) {
        const [x, y, z] = rest[1].subarray(i, i + 3);
        turned.set(ball ? [x, y, z] : down ? [-y, -x, -z] : [y, -x, z], i);
    }
    const to = anchorOf(rest[0], held[0]);
    const from = anchorOf(turned, held[1]);
    const at = [to[0] - from[0], to[1] - from[1], 0];
    const tool = boundsOf(turned);
    let top = -Infinity;
    const size = boundsOf(rest[0]);
    for (let i = 0; i < rest[0].length; i += 3)
        if (rest[0][i] > tool.low[0] + at[0] - 0.1 * scale && rest[0][i] < tool.high[0] + at[0] + 0.1 * scale &&
            rest[0][i + 1] > tool.low[1] + at[1] - 0.1 * scale && rest[0][i + 1] < tool.high[1] + at[1] + 0.1 * scale)
            top = Math.max(top, rest[0][i + 2]);
    top = Number.isFinite(top) ? top : size.high[2];
    at[2] = top - tool.low[2] + 0.04 * scale;
    return [...at, ...turn];
}

function heldOf(body, count) {
    const at = wasm._touch_held(body);
    return at === 0 ? null : wasm.HEAP32.slice(at / 4, at / 4 + count);
}

function surfaceOf(body) {
    const at = wasm._touch_surface(body) / 4;
    return wasm.HEAPF32.slice(at, at + 3 * wasm._touch_count(body, 0));
}

// Two bodies, or one and a ball; tells the page what they look like at rest.
function open({ books, friction, start }) {
    running = false;
    wasm._touch_close();
    const good = books.every((buffer, body) => read(body, buffer)) && wasm._touch_open(friction, 1) === 0;
    if (!good) {
        self.postMessage({ kind: 'failed', text: wasm.UTF8ToString(wasm._touch_error()) });
        return;
    }
    wasm._touch_look();
    const rest = [surfaceOf(0), surfaceOf(1)];
    const facets = [0, 1].map((body) => {
        const at = wasm._touch_facets(body) / 4;
        return new Uint32Array(wasm.HEAP32.slice(at, at + 3 * wasm._touch_count(body, 1)).buffer);
    });
    const held = rest.map((points, body) => heldOf(body, points.length / 3));
    const { low, high } = boundsOf(rest[0]);
    scale = Math.hypot(...low.map((a, i) => high[i] - a));
    speed = 1.2e-3 * scale;
    const pose = start ?? startPose(rest, held, books.length === 1);
    wasm._touch_move(...pose, 1);
    self.postMessage({ kind: 'opened', rest, facets, held, pose, scale, limit: wasm._touch_limit(),
                       isolated: bell !== null });
}

function look() {
    wasm._touch_look();
    const at = wasm._touch_numbers() / 8;
    const n = wasm.HEAPF64.slice(at, at + LISTED + 6 * wasm.HEAPF64[at + 17]);
    const surfaces = [surfaceOf(0), surfaceOf(1)];
    self.postMessage({
        kind: 'picture', surfaces,
        force: [...n.subarray(0, 3)], torque: [...n.subarray(3, 6)], pose: [...n.subarray(6, 13)],
        contacts: n[13], deepest: n[15], quality: QUALITIES[n[16]], heldBack: n[18] === 1,
        points: n.subarray(LISTED), rate: rate.told,
    }, surfaces.map((surface) => surface.buffer));
}

function count(start, end, quality) {
    ++rate.steps;
    ++rate.quality[quality];
    rate.busy += end - start;
    rate.worst = Math.max(rate.worst, end - start);
    const passed = end - rate.since;
    if (passed < 500)
        return;
    rate.told = { hertz: 1000 * rate.steps / passed, microseconds: 1000 * rate.busy / rate.steps,
                  worst: 1000 * rate.worst, full: rate.quality[0] / rate.steps };
    Object.assign(rate, { since: end, steps: 0, busy: 0, worst: 0, quality: [0, 0, 0, 0, 0] });
}

function step() {
    const start = performance.now();
    const quality = wasm._touch_step(speed * Math.min(start - last, 4), DEADLINE);
    last = start;
    count(start, performance.now(), quality);
}

function tick() {
    if (!running)
        return;
    if (bell === null) {
        step();
        setTimeout(tick, 0);
        return;
    }
    const until = performance.now() + SLICE;
    for (let now = performance.now(); now < until; now = performance.now()) {
        if (now < next) {
            Atomics.wait(bell, 0, 0, next - now);
            continue;
        }
        step();
        next = Math.max(next + PERIOD, now - 4 * PERIOD);  // what was missed by far is not made up for
    }
    channel.port2.postMessage(0);
}

function start() {
    if (running)
        return;
    running = true;
    last = next = rate.since = performance.now();
    Object.assign(rate, { steps: 0, busy: 0, worst: 0 });
    tick();
}

function replay(poses) {
    const at = copyIn(new Uint8Array(new Float64Array(poses.flat()).buffer));
    const out = wasm._malloc(24 * poses.length);
    wasm._touch_rest();
    wasm._touch_replay(at, poses.length, out);
    const forces = [...wasm.HEAPF64.slice(out / 8, out / 8 + 3 * poses.length)];
    wasm._free(at);
    wasm._free(out);
    self.postMessage({ kind: 'replayed', forces });
}

const answers = {
    open,
    start,
    stop: () => { running = false; },
    move: ({ pose, atOnce }) => wasm._touch_move(...pose, atOnce ? 1 : 0),
    look,
    replay: ({ poses }) => replay(poses),
};

channel.port1.onmessage = tick;
palpateTouch().then((made) => {
    wasm = made;
    self.onmessage = ({ data }) => answers[data.kind](data);
    self.postMessage({ kind: 'ready', isolated: bell !== null });
}, (error) => self.postMessage({ kind: 'failed', text: String(error) }));
