import type { App } from '../app/context.ts';
import { nameOf, parentOf } from '../lib/paths.ts';
import type { Transfers } from '../transfers/user-transfers.ts';
import type { Command } from '../workspace/commands/command.ts';
import type { FileTab } from './file-tab.ts';
import type { FileAction } from './rights.ts';
import { isArchive } from './viewer/kind.ts';

/** What the palette can do in a list of files now: with the selection, or else the row at the cursor. */
export function fileCommands(app: App, files: FileTab, transfers: Transfers): Command[] {
  const { t } = app;
  if (files.sign_in_due()) return [];
  const possible = (action: FileAction, commands: readonly Command[]) =>
    files.hindrance(action) === undefined ? commands.map((command) => ({ ...command, is_late: true })) : [];
  const hint = files.path();
  const place = { server_id: files.server_id, directory: files.path() };
  return [
    ...targetCommands(app, files, possible),
    ...extractCommands(app, files, transfers),
    ...possible('upload', [
      { title: t('files_upload_files'), hint, run: () => void transfers.pickFiles(place) },
      { title: t('files_upload_folder'), hint, run: () => void transfers.pickFolder(place) },
    ]),
    ...possible('make', [
      { title: t('files_new_directory'), hint, run: () => files.make('directory') },
      { title: t('files_new_file'), hint, run: () => files.make('file') },
    ]),
    ...terminalCommands(app, files),
    { title: t('files_search'), hint, also: t('also_search'), run: files.openSearch, is_late: true },
    { title: t('refresh'), hint, run: () => void files.refresh() },
  ];
}

type Possible = (action: FileAction, commands: readonly Command[]) => Command[];

function targetCommands({ t }: App, files: FileTab, possible: Possible): Command[] {
  const [first, ...others] = files.targets();
  if (!first) return [];
  const hint = others.length === 0 ? first.name : t('bulk_selected', { count: others.length + 1 });
  return [
    ...possible('open', [{ title: t('files_open'), hint, run: () => files.openEntry(first) }]),
    ...possible('download', [
      {
        title: t('download'),
        hint,
        also: t('also_download'),
        run: () => files.act('download', (all) => void files.downloadAll(all)),
      },
    ]),
    ...possible('rename', [{ title: t('files_rename'), hint, run: files.rename }]),
    ...possible('copy', [{ title: t('files_send'), hint, run: files.send }]),
    ...possible('chmod', [{ title: t('files_chmod'), hint, run: () => files.ask('chmod') }]),
    ...possible('copy_path', [{ title: t('files_copy_path'), hint, run: files.copyPaths }]),
    ...possible('properties', [{ title: t('files_properties'), hint, run: () => files.ask('properties') }]),
    ...possible('delete', [{ title: t('delete'), hint, run: () => files.ask('delete') }]),
  ];
}

/** For one ZIP archive. */
function extractCommands({ t }: App, files: FileTab, transfers: Transfers): Command[] {
  const [entry] = files.targets();
  const is_archive = entry && !entry.is_dir && isArchive(entry.name);
  if (!is_archive || files.hindrance('extract') !== undefined) return [];
  const { path, name: hint } = entry;
  const { server_id } = files;
  return [
    {
      title: t('archive_extract_here'),
      hint,
      run: () => transfers.extract({ server_id, path, target_path: parentOf(path) }),
    },
    {
      title: t('archive_extract_to'),
      hint,
      run: () => files.showDialog({ kind: 'extract', path }),
      is_late: true,
    },
  ];
}

function terminalCommands({ t }: App, { terminal, path }: FileTab): Command[] {
  if (!terminal || terminal.why(path()) !== undefined) return [];
  return [{ title: t('files_terminal'), hint: nameOf(path()) || '/', run: () => terminal.open(path()) }];
}
