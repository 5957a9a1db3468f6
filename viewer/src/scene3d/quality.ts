export interface QualityLevel {
  /** part of the full resolution */
  resolution: number;
  /** ms between two drawings of the shadows */
  shadowInterval: number;
}

const levels: QualityLevel[] = [
  { resolution: 1, shadowInterval: 0 },
  { resolution: 0.75, shadowInterval: 120 },
  { resolution: 0.6, shadowInterval: 500 },
];
const slow = 45; // ms between pictures
const fast = 22;
const settle = 250;

/** Whether WebGL is done by the processor: then every sample of every pixel counts. */
export function drawsInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return false;
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/**
 * Keeps moving pictures fluent where drawing is slow (software rendering, large screens): while things move the picture gets
 * coarser, and once they rest it is drawn in full.
 *
 * In software there is no multisampling, which would double the cost of every picture; the picture at rest has four samples a
 * pixel instead, and moving ones begin coarse.
 */
export class Quality {
  readonly rest: QualityLevel;
  private level: number;
  private last = 0;
  /** since when nothing moves; the last picture is finished by then, however long it took */
  private restSince: number | null = null;
  private mean = 16;
  private seen = 0;

  constructor(private readonly software: boolean) {
    this.rest = software ? { resolution: 2, shadowInterval: 0 } : levels[0]!;
    this.level = software ? levels.length - 1 : 0;
  }

  /** To be called when a picture is about to be drawn. */
  next(now: number, pulling: boolean): QualityLevel {
    this.restSince = null;
    if (pulling && this.software) {
      // Pictures then come when they are awaited: how far apart says nothing about their cost.
      this.last = now;
      return levels[levels.length - 1]!;
    }
    const interval = now - this.last;
    this.last = now;
    // After a rest there is nothing to compare with, and one picture in full is no loss.
    if (interval > 1000) {
      this.seen = 0;
      return levels[this.level]!;
    }
    this.mean += 0.2 * (interval - this.mean);
    this.seen += 1;
    if (this.seen > 6 && this.mean > slow && this.level < levels.length - 1) this.change(1);
    else if (this.seen > 300 && this.mean < fast && this.level > 0) this.change(-1);
    return levels[this.level]!;
  }

  /** The level for the picture that follows the motion, when there is one to draw; null otherwise. */
  settled(now: number, drawn: QualityLevel): QualityLevel | null {
    this.restSince ??= now;
    return drawn !== this.rest && now - this.restSince > settle ? this.rest : null;
  }

  private change(by: 1 | -1): void {
    this.level += by;
    this.seen = 0;
    this.mean = 0.5 * (slow + fast);
  }
}
