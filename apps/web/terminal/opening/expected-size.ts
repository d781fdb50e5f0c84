import type { TerminalSize } from '#client/terminal/target.ts';
import type { RendererChoice } from '../../app/preferences.ts';
import { fontFamily } from '../pane/font.ts';
import { drawsWithGpu } from '../pane/gpu.ts';
import type { PaneLook } from '../pane/look.ts';

const SCROLL_BAR_PX = 14;
const FIRST_COLS = 80; // before it is fitted; cells are rounded to whole pixels over this width

export interface Drawn {
  readonly look: PaneLook;
  readonly renderer: RendererChoice;
}

/** The size that a terminal built here would have, as xterm and its fit addon compute it; undefined if the font is not loaded yet. */
export function expectedSize(element: HTMLElement, { look, renderer }: Drawn): TerminalSize | undefined {
  const { width, height } = getComputedStyle(element);
  const room = { width: Number.parseInt(width, 10) - SCROLL_BAR_PX, height: Number.parseInt(height, 10) };
  if (!(room.width > 0 && room.height > 0)) return undefined; // a hidden tab
  const font = `${look.font_size}px ${fontFamily(look.font_family)}`;
  const context = document.fonts.check(font) ? new OffscreenCanvas(1, 1).getContext('2d') : null;
  if (!context) return undefined;
  context.font = font;
  const metrics = context.measureText('W');
  const dots = { wide: metrics.width * devicePixelRatio, high: heightOf(metrics) * devicePixelRatio };
  const cell_width = drawsWithGpu(renderer)
    ? Math.floor(dots.wide) / devicePixelRatio
    : Math.round((dots.wide * FIRST_COLS) / devicePixelRatio) / FIRST_COLS;
  const cell_height = Math.floor(Math.ceil(dots.high) * look.line_height) / devicePixelRatio;
  const size = { cols: Math.floor(room.width / cell_width), rows: Math.floor(room.height / cell_height) };
  return size.cols >= 2 && size.rows >= 1 ? size : undefined;
}

function heightOf({ fontBoundingBoxAscent, fontBoundingBoxDescent }: TextMetrics): number {
  return fontBoundingBoxAscent + fontBoundingBoxDescent;
}
