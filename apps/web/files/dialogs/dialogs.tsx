import { type JSX, Show } from 'solid-js';
import type { FileDialog } from '../actions.ts';
import type { FileTab } from '../file-tab.ts';
import { ChangeMode } from './chmod.tsx';
import { DeleteFiles } from './delete.tsx';
import { ExtractArchive } from './extract.tsx';
import { MakeEntry } from './make.tsx';
import { FileProperties } from './properties.tsx';
import { SendFiles } from './send.tsx';

/** The open dialog of a file tab, if any. */
export function FileDialogs(props: { files: FileTab }) {
  return (
    <Show when={props.files.dialog()} keyed>
      {(dialog) => <DialogView dialog={dialog} files={props.files} />}
    </Show>
  );
}

function DialogView(props: { dialog: FileDialog; files: FileTab }): JSX.Element {
  const { dialog, files } = props;
  const onClose = () => files.showDialog(undefined);
  switch (dialog.kind) {
    case 'make':
      return <MakeEntry what={dialog.what} files={files} onClose={onClose} />;
    case 'delete':
      return <DeleteFiles entries={dialog.entries} files={files} onClose={onClose} />;
    case 'chmod':
      return <ChangeMode entries={dialog.entries} files={files} onClose={onClose} />;
    case 'properties':
      return <FileProperties entries={dialog.entries} files={files} onClose={onClose} />;
    case 'extract':
      return (
        <ExtractArchive
          server_id={files.server_id}
          server={files.server()}
          path={dialog.path}
          onClose={onClose}
        />
      );
    case 'send':
      return <SendFiles entries={dialog.entries} files={files} onClose={onClose} />;
  }
}
