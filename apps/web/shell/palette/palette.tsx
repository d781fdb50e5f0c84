import { useQuery } from '@tanstack/solid-query';
import { createMemo } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { SearchDialog } from '../../parts/dialogs/search.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { useQuickConnectEnabled } from '../../quick-connect/quick-connect.ts';
import { serversQuery } from '../../servers/servers.ts';
import { useWorkspace } from '../workspace.ts';
import { type Command, createCommands, quickCommands } from './commands.ts';

/** The command palette: finds servers and actions by a few letters. */
export function Palette(props: { onClose: () => void }) {
  const app = useApp();
  const { t } = app;
  const workspace = useWorkspace();
  const servers = useQuery(() => serversQuery(app.client));
  const why = useReadOnlyReason();
  const quick_enabled = useQuickConnectEnabled();
  const commands = createMemo(() =>
    createCommands(app, workspace, {
      servers: servers.data ?? [],
      is_read_only: why() !== undefined,
      quick_enabled: quick_enabled(),
    }),
  );

  function run(command: Command): void {
    props.onClose();
    command.run();
    workspace.wishFocus();
  }

  return (
    <SearchDialog
      title={t('command_palette')}
      placeholder={t('palette_hint')}
      list_label={t('commands')}
      items={commands()}
      candidateOf={({ title, hint, name, weight }) => ({ text: `${title} ${hint}`, name, weight })}
      first={(text) => (quick_enabled() ? quickCommands(app, workspace, text) : [])}
      onChoose={run}
      onClose={props.onClose}
      empty={t('no_match')}
    >
      {(command) => (
        <>
          <span>{command.title}</span>
          <span class="palette-hint">{command.hint}</span>
        </>
      )}
    </SearchDialog>
  );
}
