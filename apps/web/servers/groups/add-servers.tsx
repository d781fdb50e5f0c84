import { useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { BulkDialog } from '../../parts/table/bulk-dialog.tsx';
import { findServers } from '../find/find.ts';
import { parseQuery } from '../find/query.ts';
import { useKnownServers } from '../known-servers.ts';
import type { Server } from '../servers.ts';

const MOST_FOUND = 100;

interface Props {
  /** Empty to take servers out of their groups. */
  readonly group: string;
  readonly onClose: () => void;
}

/** Moves servers of other groups into this one. The user chooses them first, then confirms what changes. */
export function AddServers(props: Props) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [chosen, setChosen] = createSignal<readonly Server[]>();
  const name = () => props.group || t('ungrouped');
  return (
    <Show when={chosen()} fallback={<Choice {...props} onChosen={setChosen} />} keyed>
      {(servers) => (
        <BulkDialog
          action={{
            ...{ id: 'add_servers', label: t('group_move') },
            question: (count) => t('group_move_title', { count, name: name() }),
            text: t('group_move_text'),
            async run({ id }) {
              const params = { path: { id } };
              await client.http.PUT('/api/servers/{id}', { params, body: { group: props.group } });
            },
            after: () => queries.invalidateQueries({ queryKey: ['servers'] }),
          }}
          rows={servers}
          nameOf={(server) =>
            t('group_move_of', { name: server.name, group: server.group || t('ungrouped') })
          }
          onClose={props.onClose}
        />
      )}
    </Show>
  );
}

function Choice(props: Props & { onChosen: (servers: readonly Server[]) => void }) {
  const { t } = useApp();
  const { index, surroundingsOf } = useKnownServers();
  const [text, setText] = createSignal('');
  const [picked, setPicked] = createSignal<ReadonlyMap<number, Server>>(new Map());
  const found = createMemo(() => {
    const query = parseQuery(text());
    const known = index();
    const all = known ? findServers(query, known, surroundingsOf(query)) : [];
    return all.map(({ server }) => server).filter(({ group }) => group !== props.group);
  });
  function pick(server: Server, is_picked: boolean): void {
    const after = new Map(picked());
    if (is_picked) after.set(server.id, server);
    else after.delete(server.id);
    setPicked(after);
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (picked().size > 0) props.onChosen([...picked().values()]);
  }
  return (
    <Dialog
      title={t('group_add_title', { name: props.group || t('ungrouped') })}
      sticky={picked().size > 0}
      onClose={props.onClose}
    >
      <form class="dialog-form" onSubmit={submit}>
        <Field
          label={t('rail_search')}
          description={t('rail_search_hint')}
          value={text()}
          onChange={setText}
          input={{ type: 'search', autocomplete: 'off' }}
        />
        <fieldset class="group-choices">
          <legend class="visually-hidden">{t('servers')}</legend>
          <For each={found().slice(0, MOST_FOUND)}>
            {(server) => (
              <CheckField
                label={server.name}
                description={server.group || t('ungrouped')}
                checked={picked().has(server.id)}
                onChange={(is_picked) => pick(server, is_picked)}
              />
            )}
          </For>
          <Show when={found().length === 0}>
            <p role="status">{t('no_match')}</p>
          </Show>
          <Show when={found().length > MOST_FOUND}>
            <p class="table-soft">{t('group_add_more', { count: MOST_FOUND })}</p>
          </Show>
        </fieldset>
        <div class="actions">
          <span class="actions-gap" role="status">
            {t('bulk_selected', { count: picked().size })}
          </span>
          <button type="button" class="button" onClick={props.onClose}>
            {t('cancel')}
          </button>
          <button type="submit" class="button button-primary" disabled={picked().size === 0}>
            {t('group_add_next')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
