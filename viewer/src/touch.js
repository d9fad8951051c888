// The page of `palpate vademecum serve`: chooses vademecums, leads the loop in its worker, and shows what it says.
import { element, show } from './data.js';
import { Stage } from './touch-stage.js';
import { Strip } from './touch-strip.js';

const HINT = matchMedia('(pointer: coarse)').matches
    ? 'Drag the orange tool with a finger. Drag beside it to look from elsewhere.'
    : 'Drag the orange tool; the wheel over it pushes it away or pulls it nearer, Shift turns it. ' +
      'Drag beside it to look from elsewhere. Arrow keys move it too.';
const HELD_BACK = 'The tool stays behind the hand: a larger force is beyond what was computed before.';
const BEYOND = 'More than what was computed before: force and shape may be off.';
// Three digits, also where the last are zeros: numbers that change all the time keep their width.
function steady(value) {
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1000 ? value.toPrecision(3) : show(value, 3);
}

const at = (id) => document.getElementById(id);

// A worker that is asked, and answers in the order of the questions of a kind.
class Loop {
    constructor(address) {
        this.worker = new Worker(address);
        this.waiting = {};
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => this.hear({ kind: 'failed', text: event.message || 'the worker could not be started' });
    }

    hear(data) {
        if (data.kind === 'failed') {
            for (const list of Object.values(this.waiting))
                list.splice(0).forEach(({ reject }) => reject(new Error(data.text)));
            return;
        }
        this.waiting[data.kind]?.shift()?.resolve(data);
    }

    next(kind) {
        return new Promise((resolve, reject) => (this.waiting[kind] ??= []).push({ resolve, reject }));
    }

    tell(kind, more = {}) {
        this.worker.postMessage({ kind, ...more });
    }

    ask(kind, answer, more) {
        const answered = this.next(answer);
        this.tell(kind, more);
        return answered;
    }
}

class Page {
    constructor() {
        this.books = new Map();
        this.loop = new Loop('touch-worker.js');
        this.strip = new Strip(at('plot'));
        this.frames = { since: performance.now(), count: 0, busy: 0 };
        this.open = false;
    }

    say(text, bad = false) {
        at('hint').textContent = text;
        at('hint').classList.toggle('bad', bad);
    }

    async begin() {
        const ready = await this.loop.next('ready');
        this.isolated = ready.isolated;
        at('clock').hidden = this.isolated;
        at('clock').textContent = 'Slower clock: this server sends no COOP and COEP headers, so the browser wakes the loop only every few milliseconds. Forces are the same.';
        const answer = await fetch('vademecums.json');
        if (!answer.ok)
            throw new Error(`vademecums.json: ${answer.status} ${answer.statusText}`);
        this.list = (await answer.json()).vademecums;
        this.stage = new Stage(at('stage'), (pose) => this.loop.tell('move', { pose }));
        this.fillMenus();
        this.listen();
        await this.choose();
        requestAnimationFrame(() => this.frame());
    }

    fillMenus() {
        at('body').append(...this.list.map(({ name }, i) => element('option', { value: i }, name)));
        at('tool').append(element('option', { value: -1 }, 'a fingertip'),
            ...this.list.map(({ name }, i) => element('option', { value: i }, name)));
        const wanted = new URLSearchParams(location.hash.slice(1));
        const find = (name) => this.list.findIndex((book) => book.name === name);
        const body = Math.max(find(wanted.get('body')), 0);
        at('body').value = body;
        at('tool').value = wanted.get('tool') === 'fingertip' ? -1 : Math.max(find(wanted.get('tool')), body);
    }

    // A tool of the body's own kind is another one of it.
    nameTools() {
        for (const option of at('tool').options)
            if (Number(option.value) >= 0) {
                const { name } = this.list[option.value];
                option.textContent = option.value === at('body').value ? `another ${name}` : name;
            }
    }

    listen() {
        at('body').addEventListener('change', () => this.choose());
        at('tool').addEventListener('change', () => this.choose());
        at('friction').addEventListener('change', () => this.choose());
        at('lift').addEventListener('click', () => this.stage.putBack());
        at('view').addEventListener('click', () => this.stage.resetView());
        at('turn').addEventListener('click', () => {
            this.stage.turning = !this.stage.turning;
            at('turn').setAttribute('aria-pressed', String(this.stage.turning));
        });
        document.addEventListener('visibilitychange', () => this.loop.tell(document.hidden ? 'stop' : 'start'));
    }

    async bytesOf(index) {
        const { file } = this.list[index];
        if (!this.books.has(file)) {
            const answer = await fetch(file);
            if (!answer.ok)
                throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
            this.books.set(file, await answer.arrayBuffer());
        }
        return this.books.get(file);
    }

    // Opens what the menus say; errors are told to whoever looks.
    async choose() {
        this.open = false;
        this.state = this.picture = null;
        this.nameTools();
        const [body, tool] = [Number(at('body').value), Number(at('tool').value)];
        try {
            this.say('Loading …');
            const books = [await this.bytesOf(body)];
            if (tool >= 0)
                books.push(await this.bytesOf(tool));
            const opened = await this.loop.ask('open', 'opened', { books, friction: Number(at('friction').value) });
            this.stage.open({ ...opened, ball: tool < 0 });
            this.strip.clear(opened.limit);
            history.replaceState(null, '', `#body=${encodeURIComponent(this.list[body].name)}&tool=${tool < 0 ? 'fingertip' : encodeURIComponent(this.list[tool].name)}`);
            this.loop.tell('start');
            this.open = true;
            this.say(this.words = HINT);
        } catch (error) {
            this.say(error.message, true);
        }
    }

    async frame() {
        requestAnimationFrame(() => this.frame());
        if (!this.open)
            return;
        if (!this.asked) {
            this.asked = true;
            this.loop.ask('look', 'picture').then((picture) => { this.picture = this.open ? picture : null; }, () => {}).finally(() => { this.asked = false; });
        }
        const start = performance.now();
        if (this.picture && this.picture.surfaces[0].length === this.stage.bodies[0].rest.length &&
            this.picture.surfaces[1].length === this.stage.bodies[1].rest.length)
            this.tell(this.picture, this.stage.show(this.picture));
        this.picture = null;
        this.stage.draw();
        this.place();
        this.count(start);
    }

    tell(picture, moved) {
        const force = Math.hypot(...picture.force);
        this.state = { force: picture.force, pose: picture.pose, contacts: picture.contacts, moved, rate: picture.rate };
        this.strip.add(performance.now(), force);
        at('force').textContent = at('label').textContent = steady(force);
        at('contacts').textContent = picture.contacts;
        const most = Math.max(...moved);
        at('displacement').textContent = steady(most > 1e-6 * this.stage.scale ? most : 0);  // less is rounding
        if (picture.rate) {
            at('rate').textContent = `${Math.round(picture.rate.hertz)} Hz`;
            const full = Math.floor(100 * picture.rate.full);
            at('cost').textContent = `${Math.round(picture.rate.microseconds)} µs${full < 100 ? `, ${full} % in full` : ''}`;
        }
        const words = picture.quality === 'beyond' ? BEYOND : picture.heldBack ? HELD_BACK : HINT;
        if (words !== this.words)
            this.say(this.words = words);
    }

    // The number beside the arrow.
    place() {
        const tip = this.stage.tipOnScreen();
        at('label').hidden = tip === null;
        if (tip)
            at('label').style.transform = `translate(${tip[0] + 10}px, ${tip[1] - 12}px)`;
    }

    count(start) {
        const frames = this.frames;
        const now = performance.now();
        ++frames.count;
        frames.busy += now - start;
        if (now - frames.since < 1000)
            return;
        at('frames').textContent = `${Math.round(1000 * frames.count / (now - frames.since))} Hz, ${(frames.busy / frames.count).toFixed(1)} ms`;
        this.strip.draw();
        Object.assign(frames, { since: now, count: 0, busy: 0 });
    }

    // For scripts and tests: where the middle of the tool is, in pixels.
    toolOnScreen() {
        const { bodies, camera, canvas } = this.stage;
        bodies[1].geometry.computeBoundingSphere();
        const middle = bodies[1].geometry.boundingSphere.center.clone().project(camera);
        const box = canvas.getBoundingClientRect();
        return [box.left + (middle.x + 1) / 2 * box.width, box.top + (1 - middle.y) / 2 * box.height];
    }

    // For scripts and tests: forces along a path of poses [x, y, z, w, i, j, k], one step each.
    async replay(poses, friction = 0) {
        this.open = false;
        this.loop.tell('stop');
        const [body, tool] = [Number(at('body').value), Number(at('tool').value)];
        const books = [await this.bytesOf(body)].concat(tool >= 0 ? [await this.bytesOf(tool)] : []);
        await this.loop.ask('open', 'opened', { books, friction, start: poses[0] });
        const { forces } = await this.loop.ask('replay', 'replayed', { poses });
        await this.choose();
        return forces;
    }
}

if (location.protocol === 'file:') {
    at('hint').classList.add('bad');
    at('hint').textContent = 'Opened as a file, this page may not read what is beside it. Any web server will do: run ' +
        '"python3 -m http.server" in its folder and open the address that is printed.';
} else {
    const page = new Page();
    window.palpatePage = page;
    page.begin().catch((error) => page.say(error.message, true));
}
