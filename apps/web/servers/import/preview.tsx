import { useQuery } from '@tanstack/solid-query';
import { createMemo, Match, Show, Switch } from 'solid-js';
import { ClientError } from '#client/client-error.ts';
import { useApp } from '../../app-context.ts';
import { TextList } from '../../parts/text-list.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { serversQuery } from '../servers.ts';
import { type Preview, placeOf } from './import.ts';

/** Lists what was found in the text, or says why it cannot be imported. */
export function ImportPreview(props: { preview: Preview }) {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const known = createMemo(() => new Set(servers.data?.map(({ name }) => name)));
  const found = () => ('names' in props.preview ? props.preview.names : []);
  const bad = () => (props.preview.kind === 'bad' ? props.preview : undefined);
  const title = () =>
    t(props.preview.kind === 'servers' ? 'import_found_servers' : 'import_found_hosts', {
      count: found().length,
    });
  return (
    <div role="status">
      <Switch>
        <Match when={bad()}>
          {(found_bad) => <p class="bad">{t(found_bad().why, found_bad().values)}</p>}
        </Match>
        <Match when={true}>
          <TextList title={title()} items={found()}>
            {(name) => (
              <span class="text-list-item">
                {name}
                <Show when={known().has(name)}>
                  <span class="badge badge-busy">{t('name_exists')}</span>
                </Show>
              </span>
            )}
          </TextList>
        </Match>
      </Switch>
    </div>
  );
}

/** Lists the servers that the gateway rejected and why. */
export function ImportTrouble(props: { error: unknown; preview: Preview }) {
  const { t } = useApp();
  const names = () => ('names' in props.preview ? props.preview.names : []);
  const errors = () => (props.error instanceof ClientError ? props.error.errors : []);
  return (
    <Trouble title={t('import_failed')} error={props.error} compact>
      <Show when={errors().length > 0}>
        <TextList title={t('import_complaints')} items={errors()}>
          {(error) => `${placeOf(error, names())}: ${t.complaint(error.message)}`}
        </TextList>
      </Show>
    </Trouble>
  );
}
