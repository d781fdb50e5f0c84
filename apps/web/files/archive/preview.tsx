import { useQuery } from '@tanstack/solid-query';
import { Match, onMount, Switch } from 'solid-js';
import { type ArchiveEntry, type MemberPlace, memberLink } from '#client/transfers/archive.ts';
import { load } from '#client/transport/load.ts';
import { useApp } from '../../app/context.ts';
import { formatSize } from '../../lib/format.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { nameOf } from '../../lib/paths.ts';
import { Name } from '../../parts/name.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { kindOfFile } from '../viewer/kind.ts';

const SHOWN_BYTES = 1024 * 1024;

interface Props {
  readonly place: MemberPlace;
  readonly entry: ArchiveEntry;
  readonly onSave: () => void;
  readonly onBack: () => void;
}

/** Shows text and images; everything else, and what is larger, can be downloaded. */
export function MemberPreview(props: Props) {
  const { preferences, t } = useApp();
  const { client } = useApp();
  const kind = kindOfFile(props.entry.name);
  const is_image = kind === 'image' && !/\.svg$/i.test(props.entry.name); // the gateway sends SVG as an attachment
  const is_text = kind === 'text' && props.entry.size <= SHOWN_BYTES;
  let place: HTMLElement | undefined;
  onMount(() => place?.focus());
  const content = useQuery(() => ({
    queryKey: ['member', props.place],
    queryFn: async ({ signal }) => {
      const href = await memberLink(client, props.place, { inline: true });
      if (!is_text) return { href, text: '' };
      const response = await load(href, { signal, fetch: client.fetch });
      return { href, text: textOf(new Uint8Array(await response.arrayBuffer())) };
    },
    enabled: is_text || is_image,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  }));
  const onKeyDown = (event: KeyboardEvent) =>
    (event.key === 'Escape' || event.key === 'Backspace') && props.onBack();
  return (
    <article
      class="archive-member"
      aria-label={shownName(props.entry.name)}
      tabIndex={-1}
      ref={place}
      onKeyDown={onKeyDown}
    >
      <header class="archive-head">
        <button type="button" class="button" onClick={() => props.onBack()}>
          {t('archive_back')}
        </button>
        <h3>
          <Name text={nameOf(props.entry.name)} />
        </h3>
        <span class="viewer-note">{formatSize(props.entry.size, preferences.values.language)}</span>
        <button type="button" class="button" onClick={() => props.onSave()}>
          {t('download')}
        </button>
      </header>
      <Switch fallback={<p>{t('archive_no_preview')}</p>}>
        <Match when={content.error}>
          {(error) => (
            <Trouble title={t('read_failed', { name: nameOf(props.entry.name) })} error={error()} />
          )}
        </Match>
        <Match when={(is_text || is_image) && content.isLoading}>
          <p role="status">{t('loading')}</p>
        </Match>
        <Match when={is_text && content.data?.text !== undefined && content.data}>
          {(loaded) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
            <pre class="archive-text" tabIndex={0}>
              {loaded().text}
            </pre>
          )}
        </Match>
        <Match when={is_image && content.data}>
          {(loaded) => (
            <img class="archive-image" src={loaded().href} alt={shownName(nameOf(props.entry.name))} />
          )}
        </Match>
      </Switch>
    </article>
  );
}

/** Undefined for what is not text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
