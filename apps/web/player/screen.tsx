import { create, type Source } from 'asciinema-player';
import { createEffect, onCleanup, onMount } from 'solid-js';
import type { CastReel } from './reel.ts';
import type { Dispatch } from './showing.ts';
import { applyTheme } from './theme.ts';

/** The bundled player, driven by the reel. */
export function Screen(props: { reel: CastReel; is_shown: boolean }) {
  let host: HTMLDivElement | undefined;
  onMount(() => {
    if (!host) return;
    applyTheme(host);
    const player = create(sourceOf(props.reel), host, {
      autoPlay: !isCalm(),
      controls: true,
      fit: 'both',
      theme: 'sallyport',
      terminalFontFamily: 'var(--mono)',
    });
    host.querySelector<HTMLElement>('.ap-wrapper')?.focus({ preventScroll: true }); // focus, for the player's shortcuts
    createEffect(() => void (props.is_shown || player.pause()));
    onCleanup(() => player.dispose());
  });
  return <div class="replay-screen" ref={host} />;
}

/** The player accepts a function that returns a driver, but its types declare only URLs and data. */
function sourceOf(reel: CastReel): Source {
  const driverFor = ({ dispatch }: { dispatch: Dispatch }) => reel.drive(dispatch);
  return driverFor as unknown as Source;
}

/** With reduced motion, the user starts playback. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
