import { useQuery } from '@tanstack/solid-query';
import Download from 'lucide-solid/icons/download';
import KeyRound from 'lucide-solid/icons/key-round';
import Plus from 'lucide-solid/icons/plus';
import Upload from 'lucide-solid/icons/upload';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { Field } from '../parts/fields/field.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { useWorkspace } from '../shell/workspace.ts';
import { NotVerified } from './host-keys/not-verified.tsx';
import { filterServers, serversQuery } from './servers.ts';
import { ServerTable } from './table.tsx';

export function AdminServers() {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const [text, setText] = createSignal('');
  return (
    <section class="section section-wide" aria-labelledby="servers-title">
      <div class="section-head">
        <h3 class="section-title" id="servers-title">
          {t('servers')}
        </h3>
        <ServerTools />
      </div>
      <ReadOnlyNote />
      <NotVerified />
      <QueryState query={servers} failure={t('servers_failed')}>
        {(known) => (
          <Show when={known().length > 0} fallback={<p class="empty">{t('no_servers_admin_page')}</p>}>
            <Field
              label={t('filter_servers')}
              value={text()}
              onChange={setText}
              class="servers-filter"
              input={{ type: 'search', autocomplete: 'off' }}
            />
            <ServerTable servers={filterServers(known(), text())} all={known()} />
          </Show>
        )}
      </QueryState>
    </section>
  );
}

function ServerTools() {
  const { t } = useApp();
  const { show } = useWorkspace();
  const why = useReadOnlyReason();
  return (
    <div class="section-tools">
      <ReasonButton
        class="button button-primary"
        why={why()}
        onPress={() => show({ kind: 'server_form', server: undefined })}
      >
        <Plus size={16} aria-hidden="true" /> {t('add_server')}
      </ReasonButton>
      <ReasonButton why={why()} onPress={() => show({ kind: 'import_servers' })}>
        <Upload size={15} aria-hidden="true" /> {t('import_servers')}
      </ReasonButton>
      <ReasonButton why={why()} onPress={() => show({ kind: 'import_host_keys' })}>
        <KeyRound size={15} aria-hidden="true" /> {t('import_host_keys')}
      </ReasonButton>
      <button type="button" class="button" onClick={() => show({ kind: 'export_servers' })}>
        <Download size={15} aria-hidden="true" /> {t('export_servers')}
      </button>
    </div>
  );
}
