import { onCleanup } from 'solid-js';
import { useApp } from '../app/context.ts';

/** Fits the page above the on-screen keyboard, which on some phones covers the page instead of resizing it. */
export function followViewport(): void {
  const { place } = useApp();
  const { style, dataset } = place.themed;
  const viewport = window.visualViewport;
  if (!viewport || place.is_guest) return;
  const follow = () => {
    const is_covered = viewport.scale === 1 && viewport.height < window.innerHeight - 1;
    if (is_covered) {
      dataset['keyboard'] = 'open';
      style.setProperty('--viewport-height', `${viewport.height}px`);
    } else {
      delete dataset['keyboard'];
      style.removeProperty('--viewport-height');
    }
  };
  viewport.addEventListener('resize', follow);
  onCleanup(() => viewport.removeEventListener('resize', follow));
}
