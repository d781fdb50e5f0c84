import { useQuery } from '@tanstack/solid-query';
import Download from 'lucide-solid/icons/download';
import Ellipsis from 'lucide-solid/icons/ellipsis';
import KeyRound from 'lucide-solid/icons/key-round';
import Plus from 'lucide-solid/icons/plus';
import Upload from 'lucide-solid/icons/upload';
import { useApp } from '../app/context.ts';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { NotVerified } from './host-keys/not-verified.tsx';
import { RevokedKeys } from './host-keys/revoked-keys.tsx';
import { serversQuery } from './servers.ts';
import { ServerTable } from './table.tsx';

export function AdminServers() {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  return (
    <>
      <section class="section section-wide section-list" aria-labelledby="servers-title">
        <div class="section-head">
          <SectionTitle id="servers-title" text={t('servers')} />
          <ServerTools />
        </div>
        <ReadOnlyNote />
        <NotVerified />
        <QueryState query={servers} failure={t('servers_failed')}>
          {(known) => <ServerTable servers={known()} />}
        </QueryState>
      </section>
      <RevokedKeys />
    </>
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
      <Menu
        label={t('servers_tools')}
        icon={<Ellipsis size={16} aria-hidden="true" />}
        class="icon-button section-tools-narrow"
      >
        <MenuItem
          label={t('import_servers')}
          why={why()}
          later
          onSelect={() => show({ kind: 'import_servers' })}
        />
        <MenuItem
          label={t('import_host_keys')}
          why={why()}
          later
          onSelect={() => show({ kind: 'import_host_keys' })}
        />
        <MenuItem label={t('export_servers')} later onSelect={() => show({ kind: 'export_servers' })} />
      </Menu>
      <span class="section-tools section-tools-wide">
        <ReasonButton why={why()} onPress={() => show({ kind: 'import_servers' })}>
          <Upload size={15} aria-hidden="true" /> {t('import_servers')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => show({ kind: 'import_host_keys' })}>
          <KeyRound size={15} aria-hidden="true" /> {t('import_host_keys')}
        </ReasonButton>
        <button type="button" class="button" onClick={() => show({ kind: 'export_servers' })}>
          <Download size={15} aria-hidden="true" /> {t('export_servers')}
        </button>
      </span>
    </div>
  );
}
