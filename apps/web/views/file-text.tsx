import { useQuery } from '@tanstack/solid-query';
import ArrowLeft from 'lucide-solid/icons/arrow-left';
import Download from 'lucide-solid/icons/download';
import WrapText from 'lucide-solid/icons/text-wrap';
import { createEffect, createMemo, createSignal, For, Match, onMount, Show, Switch } from 'solid-js';
import { take } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import { Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { type FileTab, isSignInDue } from '../state/files.ts';
import { formatSize } from '../state/format.ts';
import { nameOf } from '../state/paths.ts';
import './file-text.css';

const BLOCK_LINES = 400; // the browser skips blocks that are out of sight

interface Props {
  readonly server_id: number;
  readonly path: string;
  readonly files: FileTab;
}

/** A text file, read only; anything else is offered as a download. */
export function FileText(props: Props) {
  const { client, preferences, t } = useApp();
  const [wrapped, setWrapped] = createSignal(true);
  const text = useQuery(() => ({
    queryKey: ['text', props.server_id, props.path],
    queryFn: ({ signal }) =>
      take(
        client.http.GET('/api/files/{server_id}/read', {
          params: { path: { server_id: props.server_id }, query: { path: props.path } },
          signal,
        }),
      ),
    retry: false,
    gcTime: 0, // up to 8 MiB
  }));
  createEffect(() => isSignInDue(text.error) && void props.files.refresh()); // the list then asks for it
  const blocks = createMemo(() => blocksOf(text.data?.content ?? ''));
  const back = () => props.files.view(undefined);
  let area: HTMLDivElement | undefined;
  onMount(() => area?.focus());

  return (
    <div class="text-view">
      <div class="text-bar">
        <button type="button" class="button" onClick={back}>
          <ArrowLeft size={16} aria-hidden="true" /> {t('back_to_list')}
        </button>
        <h2 class="text-name">{nameOf(props.path)}</h2>
        <Show when={text.data}>
          {(data) => <span class="text-size">{formatSize(data().size, preferences.values.language)}</span>}
        </Show>
        <span class="text-note">{t('read_only')}</span>
        <button
          type="button"
          class="icon-button"
          aria-label={t('wrap_lines')}
          title={t('wrap_lines')}
          aria-pressed={wrapped()}
          onClick={() => setWrapped(!wrapped())}
        >
          <WrapText size={17} aria-hidden="true" />
        </button>
        <button type="button" class="button" onClick={() => void props.files.download(props.path)}>
          <Download size={16} aria-hidden="true" /> {t('download')}
        </button>
      </div>
      <div
        class="text-area"
        classList={{ 'text-wrapped': wrapped() }}
        role="document"
        aria-label={props.path}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        tabIndex={0}
        ref={area}
        onKeyDown={(event) => (event.key === 'Escape' || event.key === 'Backspace') && back()}
      >
        <Switch>
          <Match when={text.error}>
            <TextTrouble error={text.error} {...props} />
          </Match>
          <Match when={text.data === undefined}>
            <p class="file-empty" role="status">
              {t('loading')}
            </p>
          </Match>
          <Match when={text.data?.content === ''}>
            <p class="file-empty">{t('empty_file')}</p>
          </Match>
          <Match when={true}>
            <For each={blocks()}>{(block) => <pre class="text-block">{block}</pre>}</For>
          </Match>
        </Switch>
      </div>
    </div>
  );
}

function TextTrouble(props: Props & { error: unknown }) {
  const { t } = useApp();
  const download_helps = () =>
    props.error instanceof ClientError && (props.error.status === 413 || props.error.status === 415);
  return (
    <Trouble title={t('read_failed', { name: nameOf(props.path) })} error={props.error}>
      <Show when={download_helps()}>
        <button
          type="button"
          class="button button-primary"
          onClick={() => void props.files.download(props.path)}
        >
          {t('download')}
        </button>
      </Show>
      <button type="button" class="button" onClick={() => props.files.view(undefined)}>
        {t('back_to_list')}
      </button>
    </Trouble>
  );
}

function blocksOf(content: string): string[] {
  const lines = content.split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += BLOCK_LINES)
    blocks.push(lines.slice(at, at + BLOCK_LINES).join('\n'));
  return blocks;
}
