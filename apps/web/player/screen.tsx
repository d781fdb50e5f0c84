import { create, type Source } from 'asciinema-player';
import { createEffect, onCleanup, onMount } from 'solid-js';
import type { Clusters } from './clusters.ts';
import type { CastReel } from './reel.ts';
import type { Dispatch } from './showing.ts';
import { applyTheme } from './theme.ts';

/** The bundled player, driven by the reel. */
export function Screen(props: { reel: CastReel; is_shown: boolean }) {
  let host: HTMLDivElement | undefined;
  onMount(() => {
    if (!host) return;
    onCleanup(showMarks(host, props.reel.clusters));
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

/** Puts letters with marks back wherever the player writes text. */
function showMarks(host: HTMLElement, { unpacked }: Clusters): () => void {
  const restore = (node: Node) => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text: Node | null = texts.currentNode; text; text = texts.nextNode()) {
      if (!(text instanceof Text)) continue;
      const present = unpacked(text.data);
      if (present !== text.data) text.data = present;
    }
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (addedNodes.length === 0) restore(target);
      else addedNodes.forEach(restore);
  });
  observer.observe(host, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}

/** The player accepts a function that returns a driver, but its types declare only URLs and data. */
function sourceOf(reel: CastReel): Source {
  const driverFor = ({ dispatch }: { dispatch: Dispatch }) => reel.drive(dispatch);
  return driverFor as unknown as Source;
}

/** Playback does not start by itself for users who prefer reduced motion. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
