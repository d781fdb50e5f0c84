import { useApp } from '../app/context.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import type { ServerWanted } from './choose.tsx';
import { groupPath } from './groups/groups.ts';
import { useKnownServers } from './known-servers.ts';
import type { Server } from './servers.ts';

interface OfServer {
  readonly server: Server;
}

declare module '../workspace/windows.ts' {
  interface Windows {
    server_form: {
      readonly server: Server | undefined;
      /** The group of a new server. */
      readonly group?: string;
      /** Opens More at once, to reach a field behind it. */
      readonly is_whole?: boolean;
    };
    test: OfServer;
    delete: OfServer;
    host_key: OfServer;
    import_servers: unknown;
    import_host_keys: unknown;
    export_servers: unknown;
    choose_server: ServerWanted;
  }
}

const ServerForm = loadableDialog(async () => (await import('./form/form.tsx')).ServerForm);
const DeleteServer = loadableDialog(async () => (await import('./delete.tsx')).DeleteServer);
const LookAtHostKey = loadableDialog(async () => (await import('./host-keys/accept-key.tsx')).LookAtHostKey);
const ImportServers = loadableDialog(async () => (await import('./import/servers.tsx')).ImportServers);
const ImportHostKeys = loadableDialog(async () => (await import('./import/host-keys.tsx')).ImportHostKeys);
const ChooseServer = loadableDialog(async () => (await import('./choose.tsx')).ChooseServer);
const ExportServers = loadableDialog(async () => (await import('./export.tsx')).ExportServers);
const ConnectionTestView = loadable(
  async () => (await import('./connection-test/connection-test-view.tsx')).ConnectionTestView,
);

export const serversFeature: Feature = {
  windows: {
    server_form: { View: ServerForm, for_admins: true },
    test: { View: ConnectionTest },
    delete: { View: DeleteServer, for_admins: true },
    host_key: { View: LookAtHostKey, for_admins: true },
    import_servers: { View: ImportServers, for_admins: true },
    import_host_keys: { View: ImportHostKeys, for_admins: true },
    export_servers: { View: ExportServers, for_admins: true },
    choose_server: { View: ChooseServer },
  },
  createCommands: createServerCommands,
};

function ConnectionTest(props: OfServer & Closable) {
  const { t } = useApp();
  return (
    <Dialog title={t('test_of', { name: props.server.name })} onClose={props.onClose}>
      <ConnectionTestView server={props.server} onOpen={props.onClose} />
    </Dialog>
  );
}

function createServerCommands(): FeatureCommands {
  const { session, t } = useApp();
  const { goTo, show } = useWorkspace();
  const { index } = useKnownServers();
  const why = useReadOnlyReason();
  const hint = t('servers');
  const commands = () => [
    {
      title: t('add_server'),
      hint,
      also: t('palette_create'),
      run: () => show({ kind: 'server_form', server: undefined }),
    },
    { title: t('import_servers'), hint, also: t('also_import'), run: () => show({ kind: 'import_servers' }) },
    {
      title: t('import_host_keys'),
      hint,
      also: t('also_import'),
      run: () => show({ kind: 'import_host_keys' }),
    },
    { title: t('export_servers'), hint, also: t('also_export'), run: () => show({ kind: 'export_servers' }) },
  ];
  const is_admin = () => session.user()?.is_admin === true;
  const groups = () => [...new Set(index()?.list.map(({ server }) => server.group))].filter(Boolean);
  return {
    page: () => (is_admin() && why() === undefined ? commands() : []),
    record: () =>
      groups().map((name) => ({
        title: name,
        hint: t('group'),
        run: () => goTo(groupPath(is_admin(), name)),
      })),
  };
}
