import { useQuery } from '@tanstack/solid-query';
import { createSignal, createUniqueId, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { tidyPath } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { ServerChoice } from '../../servers/server-choice.tsx';
import { serversQuery } from '../../servers/servers.ts';
import { useTransfers } from '../../transfers/transfers.ts';
import { usePaneHost } from '../../workspace/panes/host.ts';
import { createBatchRun } from '../changes/batch-run.ts';
import type { FileTab } from '../file-tab.ts';
import { type Entry, sizesOf } from '../list/entries.ts';
import { PathInput } from '../path/box.tsx';
import { sendHindrance } from '../rights.ts';
import { BatchForm } from './batch-form.tsx';
import { ReplaceButton } from './replace.tsx';
import { createSendTarget } from './send-target.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly files: FileTab;
  readonly onClose: () => void;
}

/** Copies or moves to a directory of this or another server; the keyboard alternative to dragging. */
export function SendFiles(props: Props) {
  const { t } = useApp();
  const { entries, files } = props;
  const { workspace } = usePaneHost();
  const form = createSendForm(props);
  const title = entries.length === 1 ? (entries[0]?.name ?? '') : t('files_count', { count: entries.length });
  return (
    <Dialog
      title={t('files_send_of', { name: title })}
      onClose={() => (form.run.running() ? form.run.cancel() : props.onClose())}
    >
      <BatchForm
        run={form.run}
        action={t(form.move() ? 'files_move' : 'files_copy')}
        blocked={form.why() !== undefined}
        failure={(values) => t('files_not_moved', values)}
        onStart={() => form.send(false)}
        onClose={props.onClose}
        extra={<ReplaceButton outcome={form.run.outcome()} onReplace={() => form.send(true)} />}
      >
        <HowChoice move={form.move()} why={files.hindrance('move')} onChange={form.setMove} />
        <Show when={workspace}>
          <TargetServer value={form.server_id()} onChange={form.setServer} />
        </Show>
        <PathField server_id={form.server_id()} value={form.path()} onInput={form.typePath} />
        <Show when={form.why()}>
          {(why) => (
            <p class="field-hint" role="status">
              {t(why())}
            </p>
          )}
        </Show>
      </BatchForm>
    </Dialog>
  );
}

function createSendForm({ entries, files, onClose }: Props) {
  const host = usePaneHost();
  const transfers = useTransfers();
  const run = createBatchRun();
  const { server_id, path, is_asking, typePath, setServer } = createSendTarget(files);
  const [move, setMove] = createSignal(false);
  const servers = () => (host.servers() ?? []).filter(({ sftp_enabled }) => sftp_enabled);
  const target = () => servers().find(({ id }) => id === server_id());
  const directory = () => tidyPath(path());

  function begin(): void {
    transfers.copy({
      source_server_id: files.server_id,
      source_paths: entries.map((entry) => entry.path),
      sizes: sizesOf(entries),
      target_server_id: server_id(),
      target_path: directory(),
      move: move(),
    });
    onClose();
  }
  async function moveHere(overwrite: boolean): Promise<void> {
    const done = new Set(run.outcome()?.done);
    const paths = entries.map((entry) => entry.path).filter((one) => !done.has(one));
    const into = { directory: directory(), overwrite };
    if (await run.start(paths.length, (progress) => files.changes.move(paths, into, progress))) onClose();
  }
  return {
    ...{ run, server_id, path, typePath, setServer, move, setMove },
    why: (): TextKey | undefined =>
      is_asking()
        ? 'files_why_target_home'
        : sendHindrance({ entries, move: move(), directory: directory() }, target(), {
            from: files.server_id,
            to: server_id(),
          }),
    send: (overwrite: boolean) =>
      move() && server_id() === files.server_id ? void moveHere(overwrite) : begin(),
  };
}

/** An element in another site's page has one server, and no choice. */
function TargetServer(props: { value: number; onChange: (server_id: number) => void }) {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  return (
    <ServerChoice
      label={t('files_target_server')}
      value={props.value}
      servers={(servers.data ?? []).filter(({ sftp_enabled }) => sftp_enabled)}
      onChange={props.onChange}
    />
  );
}

interface HowProps {
  readonly move: boolean;
  /** Why the entries cannot be moved. */
  readonly why: string | undefined;
  readonly onChange: (move: boolean) => void;
}

function HowChoice(props: HowProps) {
  const { t } = useApp();
  const name = createUniqueId();
  return (
    <fieldset class="how-choice">
      <legend class="visually-hidden">{t('action')}</legend>
      <label>
        <input type="radio" name={name} checked={!props.move} onChange={() => props.onChange(false)} />{' '}
        {t('files_copy')}
      </label>
      <label title={props.why}>
        <input
          type="radio"
          name={name}
          checked={props.move}
          disabled={props.why !== undefined}
          onChange={() => props.onChange(true)}
        />{' '}
        {t('files_move')}
        <Show when={props.why}> ({props.why})</Show>
      </label>
    </fieldset>
  );
}

function PathField(props: { server_id: number; value: string; onInput: (path: string) => void }) {
  const { t } = useApp();
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {t('files_target')}
      </span>
      <PathInput
        server_id={props.server_id}
        label={t('files_target')}
        value={props.value}
        onInput={props.onInput}
      />
    </div>
  );
}
