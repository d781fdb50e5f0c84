import { create, type Source } from 'asciinema-player';
import { onCleanup, onMount } from 'solid-js';
import type { CastReel } from './reel.ts';
import type { Dispatch } from './showing.ts';
import { applyTheme } from './theme.ts';

/** The bundled player, fed by our reel. */
export function Screen(props: { reel: CastReel }) {
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
    host.querySelector<HTMLElement>('.ap-wrapper')?.focus({ preventScroll: true }); // its keys
    onCleanup(() => player.dispose());
  });
  return <div class="replay-screen" ref={host} />;
}

/** The player takes a function for what it plays, and asks it for the driver; its types know only of addresses and data. */
function sourceOf(reel: CastReel): Source {
  const driverFor = ({ dispatch }: { dispatch: Dispatch }) => reel.drive(dispatch);
  return driverFor as unknown as Source;
}

/** Who asked for less motion starts it themselves. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
