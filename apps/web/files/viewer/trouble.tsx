import { type ParentProps, Show } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { nameOf } from '../../lib/paths.ts';
import { Trouble } from '../../parts/trouble.tsx';
import type { OpenFile } from '../open-file.ts';
import { InsteadOfFile } from './instead.tsx';

interface Props {
  readonly files: OpenFile;
  readonly path: string;
  readonly error: unknown;
  /** Retries loading the file. */
  readonly onRetry?: (() => void) | undefined;
}

const DOWNLOAD_HELPS: ReadonlySet<number> = new Set([413, 415]);

/** Shows why a file cannot be displayed, and the alternatives. */
export function FileViewerTrouble(props: ParentProps<Props>) {
  const { t } = useApp();
  /** An error other than the gateway's means that the browser cannot display the file. */
  const download_helps = () =>
    !(props.error instanceof ClientError) || DOWNLOAD_HELPS.has(props.error.status);
  const leave = () => props.files.close();
  return (
    <InsteadOfFile files={props.files} path={props.path}>
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
        <Show when={!download_helps() && props.onRetry}>
          <button type="button" class="button" onClick={() => props.onRetry?.()}>
            {t('try_again')}
          </button>
        </Show>
        {props.children}
        <button type="button" class="button" onClick={leave}>
          {t('back_to_list')}
        </button>
      </Trouble>
    </InsteadOfFile>
  );
}
