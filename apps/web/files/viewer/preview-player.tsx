import { createEffect, on, onCleanup, onMount, Show } from 'solid-js';
import { shownName } from '../../lib/hidden-characters.ts';
import { nameOf } from '../../lib/paths.ts';
import type { FileKind } from './kind.ts';
import type { InlineLink } from './link.ts';

interface Props {
  readonly kind: FileKind;
  readonly path: string;
  readonly link: InlineLink;
  readonly onBad: () => void;
}

/** Seeks with Range requests, and continues at the same position when its ticket expires. */
export function FilePlayer(props: Props) {
  let player: HTMLMediaElement | undefined;
  let could_play = false; // since the last URL
  let is_renewed = false;
  let was_playing = false;

  function onError(): void {
    const is_lost = could_play && player?.error?.code !== MediaError.MEDIA_ERR_DECODE;
    could_play = false; // a second failure before playback is not about tickets
    was_playing = player?.paused === false;
    is_renewed = is_lost;
    if (is_lost) void props.link.renew();
    else props.onBad();
  }
  function onCanPlay(): void {
    could_play = true;
  }
  onMount(() => {
    createEffect(
      on(props.link.href, (href) => {
        if (!player || href === undefined) return;
        const at_s = player.currentTime;
        player.src = href;
        if (!is_renewed) return;
        player.currentTime = at_s;
        if (was_playing) void player.play().catch(() => undefined); // the browser may require a click first
      }),
    );
  });
  onCleanup(() => {
    player?.removeAttribute('src');
    player?.load(); // releases the connection
  });
  const keep = (element: HTMLMediaElement) => {
    player = element;
  };

  return (
    <Show
      when={props.kind === 'video'}
      fallback={
        // biome-ignore lint/a11y/useMediaCaption: captions can only come from the file itself
        <audio
          ref={keep}
          controls
          aria-label={shownName(nameOf(props.path))}
          onError={onError}
          onCanPlay={onCanPlay}
        />
      }
    >
      {/* biome-ignore lint/a11y/useMediaCaption: captions can only come from the file itself */}
      <video
        ref={keep}
        controls
        playsinline
        aria-label={shownName(nameOf(props.path))}
        onError={onError}
        onCanPlay={onCanPlay}
      />
    </Show>
  );
}
