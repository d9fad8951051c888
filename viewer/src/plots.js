// Curves over time.
import uPlot from 'uplot';

import { column, element, show } from './data.js';

const drawn = [];

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(size) {
    return {
        stroke: () => colour('--soft'),
        grid: { stroke: () => colour('--grid'), width: 1 },
        ticks: { stroke: () => colour('--line'), width: 1 },
        font: '12px system-ui, sans-serif',
        size,
        values: (u, splits) => splits.map((value) => (value === null ? '' : show(value, 4))),
    };
}

// A flat curve has no range of its own: around its value, and above 0 where it is 0.
function range(u, low, high) {
    if (low === null || high === null || low !== high)
        return uPlot.rangeNum(low ?? 0, high ?? 1, 0.1, true);
    return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, low + Math.abs(low) / 2];
}

// time: {name, values}; curves: [{name, values}]. Draws a card with the plot and returns it; a sentence
// does where there is nothing to see.
function plot(title, time, curves) {
    const place = element('div');
    const card = element('section', { className: 'card plot' }, element('h2', {}, title), place);
    if (curves.every((curve) => curve.values.every((value) => value === 0))) {
        place.append(element('p', { className: 'note' }, '0 at all times'));
        return card;
    }
    const options = {
        width: 400,
        height: 240,
        scales: { x: { time: false }, y: { range } },
        cursor: { drag: { x: true, y: false } },
        hooks: { setLegend: [(u) => u.root.classList.toggle('hovered', u.legend.idx != null)] },
        series: [
            { label: time.name, value: (u, value) => (value === null ? '' : show(value, 5)) },
            ...curves.map((curve, i) => ({
                label: curve.name,
                stroke: () => colour(`--c${i % 6}`),
                width: 2,
                points: { show: time.values.length < 40, size: 5 },
                value: (u, value) => (value === null ? '' : show(value, 5)),
            })),
        ],
        axes: [axis(34), axis(72)],
    };
    const last = curves.map((curve) => `${curve.name} ends at ${show(curve.values.at(-1))}`);
    place.setAttribute('role', 'img');
    place.setAttribute('aria-label', `${title} over ${time.name}; ${last.join(', ')}`);
    drawn.push({ place, options, data: [time.values, ...curves.map((curve) => curve.values)] });
    return card;
}

// The plots need their final width, so they are drawn once their cards stand in the page.
export function drawPlots() {
    for (const entry of drawn) {
        const width = () => Math.max(entry.place.clientWidth, 200);
        const chart = new uPlot({ ...entry.options, width: width() }, entry.data, entry.place);
        entry.chart = chart;
        new ResizeObserver(() => {
            if (width() !== chart.width)
                chart.setSize({ width: width(), height: entry.options.height });
        }).observe(entry.place);
    }
}

export function recolourPlots() {
    for (const entry of drawn)
        entry.chart.redraw(false, true);
}

export function makePlots(data) {
    const { history } = data;
    const area = element('div', { className: 'plots' });
    if (history.rows < 2)
        return element('p', { className: 'note' }, 'Fewer than two output times: nothing to plot.');
    const named = (name) => column(history, history.columns.indexOf(name));
    const relaxes = data.summary.method === 'relaxation';
    const time = { name: relaxes ? 'pseudo-time' : 'time', values: named('time') };
    const vector = (name) => ['x', 'y', 'z'].map((a) => ({ name: a, values: named(`${name}.${a}`) }));
    const curves = [
        { name: 'kinetic', values: named('kinetic') },
        { name: 'strain', values: named('strain') },
        { name: 'total', values: named('total') },
        { name: 'external work', values: named('external_work') },
        { name: 'dissipated', values: named('dissipated') },
    ];
    const touches = data.summary.contact.on;
    if (touches)
        curves.push({ name: 'contact work', values: named('contact_work') });
    area.append(plot('Energy', time, curves));
    if (!relaxes) {  // which balances none of these
        area.append(plot('Energy balance error', time, [{ name: 'drift, of the largest energy or work at that time', values: named('drift') }]));
        area.append(plot('Momentum', time, vector('momentum')));
        area.append(plot('Angular momentum about the origin', time, vector('angular_momentum')));
    }
    if (touches) {
        area.append(plot('Contacts that carry force', time, [{ name: 'contacts', values: named('contacts') }]));
        area.append(plot('Deepest penetration', time, [{ name: 'penetration', values: named('penetration') }]));
    }
    data.probes.forEach((probe, p) => {
        const first = history.columns.length + 3 * p;
        area.append(plot(`${probe.name}: ${probe.record}`, time,
            ['x', 'y', 'z'].map((name, i) => ({ name, values: column(history, first + i) }))));
    });
    return area;
}
