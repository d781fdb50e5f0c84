import { createEffect, createSignal, Match, onCleanup, onMount, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { nameOf } from '../../lib/paths.ts';
import { createPaneFocus } from '../../workspace/panes/focus.ts';
import { usePaneHost } from '../../workspace/panes/host.ts';
import { isSignInDue } from '../sign-in.ts';
import { FileViewerBar } from './bar.tsx';
import { type FileKind, isDrawnText } from './kind.ts';
import { createInlineLink } from './link.ts';
import { FilePdf } from './preview-pdf.tsx';
import { FilePlayer } from './preview-player.tsx';
import type { KindProps } from './props.ts';
import { FileViewerTrouble } from './trouble.tsx';
import './preview.css';

/** A file that the browser displays itself, loaded with a ticket. */
export function FilePreview(props: KindProps & { readonly kind: FileKind }) {
  const { client, t } = useApp();
  const host = usePaneHost();
  const link = createInlineLink(client, { server_id: props.tab.server_id, path: props.path });
  const [note, setNote] = createSignal<string>();
  const is_refused = () => link.error() !== undefined;
  createEffect(() => isSignInDue(link.error()) && void props.files.refresh()); // the list then asks to sign in
  let place: HTMLDivElement | undefined;
  createPaneFocus(
    host,
    () => props.active,
    () => place?.focus(),
  );
  onMount(() => place?.focus());
  const onUnreadable = () =>
    link.fail(new Error(t(`preview_bad_${props.kind === 'image' ? 'image' : 'media'}`)));

  return (
    <>
      <FileViewerBar files={props.files} path={props.path} note={note()}>
        <Show when={isDrawnText(props.path)}>
          <button type="button" class="button" onClick={() => props.onKind('text')}>
            {t('preview_as_text')}
          </button>
        </Show>
      </FileViewerBar>
      <Show
        when={!is_refused()}
        fallback={
          <FileViewerTrouble {...props} error={link.error()} onRetry={() => void link.renew()}>
            <button type="button" class="button" onClick={() => props.onKind('text')}>
              {t('preview_as_text')}
            </button>
          </FileViewerTrouble>
        }
      >
        <div
          class="preview"
          role="document"
          aria-label={shownName(props.path)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          ref={place}
          onKeyDown={(event) =>
            event.target === event.currentTarget &&
            (event.key === 'Escape' || event.key === 'Backspace') &&
            props.files.close()
          }
        >
          <Show when={link.href()} fallback={<p role="status">{t('loading')}</p>}>
            {(href) => (
              <Switch>
                <Match when={props.kind === 'image'}>
                  <Picture name={nameOf(props.path)} href={href()} onSize={setNote} onBad={onUnreadable} />
                </Match>
                <Match when={props.kind === 'pdf'}>
                  <FilePdf {...props} link={link} href={href()} />
                </Match>
                <Match when={props.kind === 'audio' || props.kind === 'video'}>
                  <FilePlayer kind={props.kind} path={props.path} link={link} onBad={onUnreadable} />
                </Match>
              </Switch>
            )}
          </Show>
        </div>
      </Show>
    </>
  );
}

interface PictureProps {
  readonly name: string;
  readonly href: string;
  readonly onSize: (size: string) => void;
  readonly onBad: () => void;
}

/** Fits the image to the pane; a click toggles its actual size. */
function Picture(props: PictureProps) {
  const { t } = useApp();
  const [is_full, setFull] = createSignal(false);
  let image: HTMLImageElement | undefined;
  onCleanup(() => image?.removeAttribute('src')); // stops a load in progress
  return (
    <button
      type="button"
      class="preview-picture"
      classList={{ 'preview-full': is_full() }}
      aria-pressed={is_full()}
      title={t('preview_actual_size')}
      onClick={() => setFull(!is_full())}
    >
      <img
        ref={image}
        src={props.href}
        alt={shownName(props.name)}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          naturalWidth > 0 && props.onSize(`${naturalWidth} × ${naturalHeight}`)
        }
        onError={() => props.onBad()}
      />
    </button>
  );
}
