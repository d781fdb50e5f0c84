const SMALLEST_FONT_PX = 1; // nothing is drawn below this size
const FONT_STEP_PX = 0.1;
const READABLE_PX = 9;

interface Extent {
  readonly width: number;
  readonly height: number;
}

/** The font size at which the content fits, or the current one if it already fits. */
export function shrunkFont(font_px: number, drawn: Extent, room: Extent): number {
  const ratio = Math.min(room.width / drawn.width, room.height / drawn.height);
  if (!(ratio < 1)) return font_px;
  const steps = Math.min(Math.floor((font_px * ratio) / FONT_STEP_PX), Math.ceil(font_px / FONT_STEP_PX) - 1);
  return Math.max(SMALLEST_FONT_PX, steps / Math.round(1 / FONT_STEP_PX));
}

/** Whether the font is too small to read although the user's own size is readable. */
export function isSmall(fitted_px: number, own_px: number): boolean {
  return fitted_px < Math.min(READABLE_PX, own_px);
}

interface Span {
  readonly from: number;
  readonly length: number;
}

/** The start of a window that moves as little as possible to contain this range. */
export function slidTo(window: Span, wanted: Span): number {
  const least = wanted.from + wanted.length - window.length;
  return Math.max(0, Math.min(wanted.from, Math.max(window.from, least)));
}
