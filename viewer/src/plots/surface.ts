/** What a plot is drawn on: a canvas on the page, or a text of SVG for export. */
export interface Surface {
  rectangle(x: number, y: number, width: number, height: number, fill: string): void;
  /** x, y pairs; NaN in y breaks the line. */
  polyline(points: Float64Array, colour: string, width: number, dash?: string): void;
  text(x: number, y: number, text: string, colour: string, size: number, anchor: 'start' | 'middle' | 'end'): void;
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export class CanvasSurface implements Surface {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  rectangle(x: number, y: number, width: number, height: number, fill: string): void {
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }

  polyline(points: Float64Array, colour: string, width: number, dash = ''): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = 'round';
    context.setLineDash(dash ? dash.split(' ').map(Number) : []);
    context.beginPath();
    let drawing = false;
    for (let i = 0; i < points.length; i += 2) {
      const y = points[i + 1]!;
      if (Number.isNaN(y)) {
        drawing = false;
        continue;
      }
      if (drawing) context.lineTo(points[i]!, y);
      else context.moveTo(points[i]!, y);
      drawing = true;
    }
    context.stroke();
  }

  text(x: number, y: number, text: string, colour: string, size: number, anchor: 'start' | 'middle' | 'end'): void {
    this.context.fillStyle = colour;
    this.context.font = `${size}px ${font}`;
    this.context.textAlign = anchor === 'middle' ? 'center' : anchor;
    this.context.textBaseline = 'alphabetic';
    this.context.fillText(text, x, y);
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

export class SvgSurface implements Surface {
  private readonly parts: string[] = [];
  private clips = 0;

  rectangle(x: number, y: number, width: number, height: number, fill: string): void {
    this.parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`);
  }

  polyline(points: Float64Array, colour: string, width: number, dash = ''): void {
    let path = '';
    let drawing = false;
    for (let i = 0; i < points.length; i += 2) {
      const y = points[i + 1]!;
      if (Number.isNaN(y)) {
        drawing = false;
        continue;
      }
      path += `${drawing ? 'L' : 'M'}${points[i]!.toFixed(2)} ${y.toFixed(2)}`;
      drawing = true;
    }
    const dashes = dash ? ` stroke-dasharray="${dash}"` : '';
    this.parts.push(
      `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"${dashes}/>`,
    );
  }

  text(x: number, y: number, text: string, colour: string, size: number, anchor: 'start' | 'middle' | 'end'): void {
    this.parts.push(
      `<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" fill="${colour}" font-size="${size}" text-anchor="${anchor}">${escapeXml(text)}</text>`,
    );
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    const id = `clip${this.clips++}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
    draw();
    this.parts.push('</g>');
  }

  finish(width: number, height: number): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family='${font}'>${this.parts.join('')}</svg>\n`
    );
  }
}
