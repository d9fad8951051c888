// What the program wrote into the page, with its arrays unpacked.

function bytes(base64) {
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i)
        out[i] = text.charCodeAt(i);
    return out;
}

export function readData() {
    const data = JSON.parse(document.getElementById('data').textContent);
    data.history.values = new Float64Array(bytes(data.history.values).buffer);
    const surface = data.surface;
    if (surface) {
        surface.start = new Float32Array(bytes(surface.start).buffer);
        surface.displacement = new Float32Array(bytes(surface.displacement).buffer);
        surface.triangles = new Uint32Array(bytes(surface.triangles).buffer);
        surface.edges = bytes(surface.edges);
        for (const field of surface.fields)
            field.values = new Float32Array(bytes(field.values).buffer);
    }
    return data;
}

// One column of the history, by number.
export function column(history, index) {
    const out = new Array(history.rows);
    for (let row = 0; row < history.rows; ++row)
        out[row] = history.values[row * history.width + index];
    return out;
}

// A number for people: about `digits` significant ones, no exponent where it is easy to read.
export function show(value, digits = 4) {
    if (value === null || !Number.isFinite(value))
        return '—';
    if (value === 0)
        return '0';
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
        return `${Number(mantissa)}·10${superscript(Number(exponent))}`;
    }
    return Number(value.toPrecision(digits)).toLocaleString('en', { maximumFractionDigits: 12, useGrouping: size >= 1e4 });
}

function superscript(number) {
    return [...String(number)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c])).join('');
}

export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key in made && key !== 'list')
            made[key] = value;
        else
            made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
}
