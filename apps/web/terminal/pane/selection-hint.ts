import type { Terminal } from '@xterm/xterm';
import { isMac } from '../../lib/is-mac.ts';
import { createPlace } from '../../lib/storage.ts';

const DRAG_PX = 12;

/** Calls back after a drag that a program takes, which would select text otherwise. */
export function watchDrags(terminal: Terminal, element: HTMLElement, dragged: () => void): () => void {
  let from: Pick<MouseEvent, 'clientX' | 'clientY'> | undefined;
  const onDown = (event: MouseEvent) => {
    const is_taken = terminal.modes.mouseTrackingMode !== 'none' && !event.shiftKey && !event.altKey;
    from = is_taken && event.button === 0 ? event : undefined;
  };
  const onUp = ({ clientX, clientY }: MouseEvent) => {
    if (from && Math.hypot(clientX - from.clientX, clientY - from.clientY) > DRAG_PX) dragged();
    from = undefined;
  };
  element.addEventListener('mousedown', onDown, true);
  element.addEventListener('mouseup', onUp, true);
  return () => {
    element.removeEventListener('mousedown', onDown, true);
    element.removeEventListener('mouseup', onUp, true);
  };
}

/** Says once in this browser how text is selected nevertheless. */
export function hintAtSelection(say: (code: 'shift_drag' | 'option_drag') => void): void {
  const place = createPlace('local', 'selection-hint');
  if (place.read() === true) return;
  place.write(true);
  say(isMac() ? 'option_drag' : 'shift_drag');
}
