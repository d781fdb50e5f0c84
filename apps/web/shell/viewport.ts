import { onCleanup } from 'solid-js';

/** Some phones lay their keyboard over the page instead of making it smaller: the page follows what is left. */
export function followViewport(): void {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const follow = () => {
    const is_covered = viewport.scale === 1 && viewport.height < window.innerHeight - 1;
    const { style } = document.documentElement;
    if (is_covered) style.setProperty('--viewport-height', `${viewport.height}px`);
    else style.removeProperty('--viewport-height');
  };
  viewport.addEventListener('resize', follow);
  onCleanup(() => viewport.removeEventListener('resize', follow));
}
