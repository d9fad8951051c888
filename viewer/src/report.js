// A run's report: figures, a picture to turn, plots, tables, log.
import { element, readData, show } from './data.js';
import { drawPlots, makePlots, recolourPlots } from './plots.js';
import { makeStage } from './stage.js';

const data = readData();
const { summary } = data;
const relaxes = summary.method === 'relaxation';

function seconds(value) {
    if (value < 120)
        return `${show(value, 3)} s`;
    const minutes = Math.floor(value / 60);
    return minutes < 120 ? `${minutes} min ${Math.round(value % 60)} s`
        : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function count(value) {
    return value.toLocaleString('en');
}

function compact(value) {
    return value.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 });
}

function makeHead() {
    const title = data.title || 'Untitled run';
    document.title = `${title} – palpate`;
    document.getElementById('title').textContent = title;
    document.getElementById('subtitle').textContent =
        `palpate ${summary.version} · ${count(summary.steps)} steps to ${relaxes ? 'pseudo-time' : 'time'} ${show(summary.time)} · ${seconds(summary.wall_seconds)}`;
    const good = summary.status === 'ok';
    const verdict = document.getElementById('verdict');
    verdict.className = good ? 'good' : data.interrupted ? 'halted' : 'bad';
    verdict.textContent = good ? `✓ ${summary.reason ? summary.reason.replace(/^s/, 'S') : 'Finished'}.`
        : data.interrupted ? `‖ Interrupted ${summary.reason.replace(/^interrupted/, '').trim()}`
            : `✗ Stopped: ${summary.reason}`;
}

function total(key) {
    return Object.values(summary.bodies).filter((body) => !body.rigid).reduce((sum, body) => sum + body[key], 0);
}

function makeFigures() {
    const list = element('dl', { className: 'figures' });
    const add = (name, value, remark = '') => list.append(element('div', {},
        element('dt', {}, name), element('dd', {}, value, ...(remark ? [element('small', {}, remark)] : []))));
    const elements = total('elements');
    add(relaxes ? 'Pseudo-time' : 'Simulated time', show(summary.time), `step ${show(summary.step, 3)}`);
    add('Wall time', seconds(summary.wall_seconds), `${summary.threads} thread${summary.threads === 1 ? '' : 's'}`);
    add('Elements', count(elements), `${count(total('nodes'))} nodes`);
    if (summary.wall_seconds > 0)
        add('Speed', compact(elements * summary.steps / summary.wall_seconds), 'elements · steps / s');
    if (relaxes)
        add('Residual', show(summary.residual, 2), 'estimated error of the deformation and of the balance of forces, relative');
    else
        add('Energy balance', show(summary.energy.worst_drift, 2), 'worst error, of the largest energy or work of the whole run');
    add('Total energy', show(summary.energy.final, 4), `${show(summary.energy.initial, 4)} at the start`);
    if (data.surface) {
        const [stress, displacement] = data.surface.fields;
        add('Highest stress', show(stress.highest, 4), 'von Mises, surface, last frame');
        add('Largest displacement', show(displacement.highest, 4), 'surface, last frame');
    }
    if (summary.contact.pairs.length) {
        const [[pair, , force]] = pairRows();
        const atEnd = summary.contact.pairs.reduce((most, one) => one.normal_force > most.normal_force ? one : most);
        if (relaxes)  // on the way there forces mean nothing
            add('Largest contact force', show(atEnd.normal_force, 4), `${pairName(atEnd)}, at equilibrium`);
        else
            add('Largest contact force', force, pair);
    }
    if (summary.added_mass > 0)
        add('Mass added', show(summary.added_mass, 3), 'by mass scaling');
    return list;
}

function makeStages() {
    const entries = Object.entries(summary.stages).filter(([, value]) => value > 0);
    const bars = element('div', { className: 'bars' });
    const counted = entries.reduce((sum, [, value]) => sum + value, 0);
    const whole = Math.max(summary.wall_seconds, counted);
    if (whole > counted)
        entries.push(['set-up and other', whole - counted]);
    for (const [name, value] of entries) {
        const bar = element('i');
        bar.style.width = `${100 * value / whole}%`;
        bars.append(element('span', {}, name.replaceAll('_', ' ')),
            element('span', { className: 'track', ariaHidden: 'true' }, bar),
            element('span', { className: 'amount' }, `${seconds(value)} · ${Math.round(100 * value / whole)} %`));
    }
    return element('section', { className: 'card', id: 'stages' }, element('h2', {}, 'Where the time went'),
        entries.length ? bars : element('p', { className: 'note' }, 'No step was taken.'));
}

function table(head, rows) {
    // Narrow screens show a row as a list, with each cell's heading beside it; the roles keep it a table.
    const line = (cells) => element('tr', { role: 'row' }, ...cells);
    const body = rows.map((row) => line(row.map((cell, i) => element('td', { role: 'cell', 'data-head': head[i] }, cell))));
    return element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: head[0] },
        element('table', { className: 'data', role: 'table' },
            element('thead', { role: 'rowgroup' },
                line(head.map((text) => element('th', { scope: 'col', role: 'columnheader' }, text)))),
            element('tbody', { role: 'rowgroup' }, ...body)));
}

// Components; what is only round-off beside the largest one is shown as 0.
function vector(value) {
    const largest = Math.max(...value.map(Math.abs));
    return value.map((v) => show(Math.abs(v) < 1e-12 * largest ? 0 : v, 4)).join(', ');
}

// The sum of normal forces of each pair, the largest first.
function pairName(pair) {
    return pair.bodies[0] === pair.bodies[1] ? `${pair.bodies[0]} with itself` : pair.bodies.join(' – ');
}

function pairRows() {
    return summary.contact.pairs.toSorted((a, b) => b.largest_normal_force - a.largest_normal_force)
        .map((pair) => [
            pairName(pair),
            show(pair.friction, 3), show(pair.largest_normal_force, 4), show(pair.largest_time, 4), show(pair.normal_force, 4), count(pair.count)]);
}

function makePairs() {
    const { pairs, pair_count: possible } = summary.contact;
    const silent = possible - pairs.length;
    const never = silent === 0 ? '' : possible === 1 ? 'The two never touched.' : pairs.length === 0 ? 'Nothing ever touched.'
        : `${count(silent)} other pair${silent === 1 ? '' : 's'} that could touch never did.`;
    return [...(pairs.length ? [table(['Pair', 'Friction', 'Largest force', 'At', 'Force at the end', 'Contacts at the end'], pairRows())] : []),
        ...(never ? [element('p', { className: 'note' }, never)] : [])];
}

function makeContact() {
    const { contact, stages } = summary;
    const spent = stages.contact_update + stages.contact_search + stages.contact_response;
    const steps = spent + stages.elements + stages.integrate;
    return element('section', { className: 'card', id: 'contact' }, element('h2', {}, 'Contact'),
        table(['Quantity', 'Value'], [
            ['Share of the steps’ time', steps > 0 ? `${show(100 * spent / steps, 3)} %` : '—'],
            ['Contacts that carry force', `${count(contact.most)} at most (${count(contact.count)} at the end)`],
            ['Deepest penetration', `${show(summary.penetration.worst, 3)} (${show(summary.penetration.final, 3)} at the end)`],
            ['Triangles crossing at the end', count(summary.intersections)],
            ['Distance at which surfaces rest', show(contact.separation, 4)],
            ['Motions of nodes cut short', count(contact.rescues)],
            ...(contact.moved_nodes > 0 ? [['Moved apart at the start',
                `${count(contact.moved_nodes)} node${contact.moved_nodes === 1 ? '' : 's'}, by at most ${show(contact.largest_move, 3)}; mass of ${contact.mass_change_body} changed by ${show(100 * contact.mass_change, 2)} %`]] : []),
            ...(contact.moved_rigids > 0 ? [['Rigid bodies moved apart at the start',
                `${count(contact.moved_rigids)}, by at most ${show(contact.largest_rigid_move, 3)}`]] : [])]),
        ...makePairs());
}

function makeTables() {
    const bodies = Object.entries(summary.bodies).map(([name, body]) => [
        body.rigid ? `${name} (rigid)` : name, body.rigid ? '—' : body.element, count(body.nodes),
        count(body.elements), body.mass > 0 ? show(body.mass, 4) : '—',
        vector(body.centroid), ...(relaxes ? [] : [vector(body.velocity)])]);
    const wide = [element('section', { className: 'card' }, element('h2', {}, 'Bodies at the end'),
        table(['Body', 'Kind', 'Nodes', 'Elements', 'Mass', 'Centroid', ...(relaxes ? [] : ['Velocity'])], bodies))];
    if (data.probes.length)
        wide.push(element('section', { className: 'card' }, element('h2', {}, 'Probes at the end'),
            table(['Probe', 'Records', 'x', 'y', 'z'], data.probes.map((probe) => [
                probe.name, probe.record, ...summary.probes[probe.name].map((v) => show(v, 6))]))));
    const change = (name) => {
        const { initial, final } = summary[name];
        const known = final.every((v) => v !== null);
        return [vector(initial), vector(final), known ? show(Math.hypot(...final.map((v, i) => v - initial[i])), 3) : '—'];
    };
    if (!relaxes)
        wide.push(element('section', { className: 'card' }, element('h2', {}, 'Momentum'),
            table(['Quantity', 'Start', 'End', 'Change'], [
                ['linear', ...change('momentum')], ['angular', ...change('angular_momentum')]])));
    return [makeStages(), ...(summary.contact.on ? [makeContact()] : []), ...wide];
}

function makeDetails() {
    const scene = element('details', { className: 'card', id: 'scene' }, element('summary', {}, 'Scene'),
        element('pre', { tabIndex: 0 }, data.scene.trim() || 'The run was not started from a scene.'),
        ...(data.scene_cut ? [element('p', { className: 'note' }, 'Only its beginning; scene.yaml has the whole.')] : []));
    const log = element('details', { className: 'card' }, element('summary', {}, 'Log'),
        element('pre', { tabIndex: 0 }, data.log.trim() || 'Nothing was logged.'));
    const raw = element('details', { className: 'card' }, element('summary', {}, 'All figures, as in summary.json'),
        element('pre', { tabIndex: 0 }, JSON.stringify(summary, null, 2)));
    return [scene, log, raw];
}

function startTheme(changed) {
    const root = document.documentElement;
    const prefers = window.matchMedia('(prefers-color-scheme: dark)');
    const set = (dark) => {
        root.dataset.theme = dark ? 'dark' : 'light';
        changed();
    };
    document.getElementById('theme').addEventListener('click', () => set(root.dataset.theme !== 'dark'));
    prefers.addEventListener('change', () => set(prefers.matches));
    root.dataset.theme = prefers.matches ? 'dark' : 'light';
}

let stage = { recolour() {} };
startTheme(() => {
    stage.recolour();
    recolourPlots();
});
makeHead();
stage = makeStage(data);
document.getElementById('main').append(makeFigures(), stage.card, makePlots(data),
    ...makeTables(), ...makeDetails());
document.getElementById('footer').textContent =
    `State ${summary.state_hash} · written by palpate ${summary.version}. This page needs no network.`;
drawPlots();
