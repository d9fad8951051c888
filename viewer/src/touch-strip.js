// Force over the last seconds, as a line that moves to the left.
import { show } from './data.js';

const SECONDS = 8;

export class Strip {
    constructor(canvas) {
        this.canvas = canvas;
        this.clear(1);
    }

    clear(limit) {
        this.values = [];
        this.limit = limit;
        this.draw();
    }

    add(time, force) {
        this.values.push({ time, force });
        while (this.values[0].time < time - 1000 * SECONDS)
            this.values.shift();
        this.draw();
    }

    draw() {
        const canvas = this.canvas;
        const ratio = Math.min(window.devicePixelRatio, 2);
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const style = getComputedStyle(canvas);
        const pen = canvas.getContext('2d');
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        const largest = Math.max(0.05 * this.limit, ...this.values.map(({ force }) => force));
        const up = (force) => height - 14 - (height - 26) * force / largest;
        pen.strokeStyle = style.getPropertyValue('--line');
        pen.fillStyle = style.getPropertyValue('--soft');
        pen.font = '11px system-ui, sans-serif';
        for (const value of [0, largest]) {
            pen.beginPath();
            pen.moveTo(0, up(value));
            pen.lineTo(width, up(value));
            pen.stroke();
        }
        pen.fillText(show(largest, 2), 2, up(largest) - 3);
        pen.fillText(`${SECONDS} s ago`, 2, height - 2);
        pen.textAlign = 'right';
        pen.fillText('now', width - 2, height - 2);
        pen.textAlign = 'left';
        if (this.values.length < 2)
            return;
        const now = this.values.at(-1).time;
        pen.strokeStyle = style.getPropertyValue('--force');
        pen.lineWidth = 1.8;
        pen.beginPath();
        for (const { time, force } of this.values)
            pen.lineTo(width * (1 - (now - time) / (1000 * SECONDS)), up(force));
        pen.stroke();
        pen.lineWidth = 1;
    }
}
