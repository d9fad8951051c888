// The worker: the loop as WebAssembly, up to a thousand steps a second, in a plain Worker. It answers
// poses with forces, and posts what is to be drawn some sixty times a second.
/* global palpateLoop, importScripts */
importScripts('loop.js');

const state = { loop: null, pose: [0, 0, 0, 1, 0, 0, 0], going: false, done: 0, from: 0, drawn: 0,
                steps: 0, since: 0, rate: 0, cost: 0, history: [] };
let ready = palpateLoop().then((loop) => { state.loop = loop; });

function fail(text) {
    postMessage({ kind: 'error', text });
    throw new Error(text);
}

function check(status) {
    if (status !== 0)
        fail(state.loop.UTF8ToString(state.loop._loop_error()));
}

function read(body, bytes) {
    const { loop } = state;
    const at = loop._malloc(bytes.byteLength);
    if (at === 0)
        fail('no memory for a vademecum');
    loop.HEAPU8.set(new Uint8Array(bytes), at);
    const status = loop._loop_read(body, at, bytes.byteLength);
    loop._free(at);
    check(status);
}

function facets(body) {
    const { loop } = state;
    const count = 3 * loop._loop_facet_count(body), at = loop._loop_facets(body) >> 2;
    return loop.HEAP32.slice(at, at + count);
}

function step(pose) {
    const { loop } = state;
    loop.HEAPF64.set(pose, loop._loop_pose() >> 3);
    loop._loop_step(1);
    const at = loop._loop_numbers() >> 3;
    return loop.HEAPF64.slice(at, at + 11);
}

function surface(body) {
    const { loop } = state;
    const at = loop._loop_surface(body) >> 2;
    return loop.HEAPF32.slice(at, at + 3 * loop._loop_node_count(body));
}

function contacts() {
    const { loop } = state;
    const count = loop._loop_contacts(), at = loop._loop_contact_list() >> 2;
    return loop.HEAPF32.slice(at, at + 6 * count);
}

function draw(numbers, now) {
    const surfaces = [surface(0), surface(1)], points = contacts();
    const history = Float32Array.from(state.history);
    state.history = [];
    state.drawn = now;
    postMessage({ kind: 'frame', numbers, surfaces, points, history, rate: state.rate,
                  cost: state.cost },
                [surfaces[0].buffer, surfaces[1].buffer, points.buffer, history.buffer]);
}

// One turn: the steps that are due, at most 20 after a pause, and then others have their turn.
function turn() {
    if (!state.going)
        return;
    const now = performance.now();
    if (now - state.from - state.done > 20)
        state.from = now - state.done - 20;
    let numbers = null;
    const start = performance.now();
    let count = 0;
    while (state.done < now - state.from) {
        numbers = step(state.pose);
        state.history.push(Math.hypot(numbers[0], numbers[1], numbers[2]));
        ++state.done;
        ++count;
    }
    state.steps += count;
    if (now - state.since > 500) {
        state.rate = 1000 * state.steps / (now - state.since);
        state.steps = 0;
        state.since = now;
    }
    if (count > 0)
        state.cost = 0.95 * state.cost + 0.05 * (performance.now() - start) / count;
    if (numbers !== null && now - state.drawn > 15)
        draw(numbers, now);
    channel.port2.postMessage(null);
}
const channel = new MessageChannel();
channel.port1.onmessage = turn;

const tasks = {
    open({ books, radius, friction, pose }) {
        state.going = false;
        books.forEach((bytes, body) => read(body, bytes));
        check(state.loop._loop_create(radius === 'patch' ? state.loop._loop_patch(0) : radius,
                                      friction));
        state.pose = pose;
        postMessage({ kind: 'opened', facets: [facets(0), facets(1)],
                      surfaces: [surface(0), surface(1)],
                      isolated: self.crossOriginIsolated === true });
    },
    pose({ pose }) { state.pose = pose; },
    start() {
        state.going = true;
        state.from = performance.now();
        state.done = 0;
        state.since = state.from;
        state.steps = 0;
        turn();
    },
    stop() { state.going = false; },
    // Poses one after the other from rest: for comparison with other programs.
    run({ poses, id }) {
        state.going = false;
        state.loop._loop_reset();
        const start = performance.now();
        const answers = poses.map((pose) => Array.from(step(pose)));
        postMessage({ kind: 'answers', id, answers, seconds: (performance.now() - start) / 1000 });
    },
};
onmessage = ({ data }) => {
    ready = ready.then(() => tasks[data.kind](data)).catch((error) => {
        postMessage({ kind: 'error', text: String(error.message ?? error) });
    });
};
