const SMALLEST_FONT_PX = 1; // below it nothing is drawn
const FONT_STEP_PX = 0.1;
const READABLE_PX = 9;

interface Extent {
  readonly width: number;
  readonly height: number;
}

/** The size of letters that makes what is drawn fit into the room; the same where it fits already. */
export function shrunkFont(font_px: number, drawn: Extent, room: Extent): number {
  const ratio = Math.min(room.width / drawn.width, room.height / drawn.height);
  if (!(ratio < 1)) return font_px;
  const steps = Math.min(Math.floor((font_px * ratio) / FONT_STEP_PX), Math.ceil(font_px / FONT_STEP_PX) - 1);
  return Math.max(SMALLEST_FONT_PX, steps / Math.round(1 / FONT_STEP_PX));
}

/** Letters that were made too small to be read, by somebody who can read their own. */
export function isSmall(fitted_px: number, own_px: number): boolean {
  return fitted_px < Math.min(READABLE_PX, own_px);
}

interface Span {
  readonly from: number;
  readonly length: number;
}

/** Where a window begins that has moved as little as it takes to have all of this in it. */
export function slidTo(window: Span, wanted: Span): number {
  const least = wanted.from + wanted.length - window.length;
  return Math.max(0, Math.min(wanted.from, Math.max(window.from, least)));
}
