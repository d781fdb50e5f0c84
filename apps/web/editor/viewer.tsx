import { createSignal, Match, Switch } from 'solid-js';
import { kindOfFile } from '../files/viewer/kind.ts';
import { FilePreview } from '../files/viewer/preview.tsx';
import type { KindProps, ViewerProps } from '../files/viewer/props.ts';
import { nameOf } from '../lib/paths.ts';
import { loadable } from '../parts/loadable.tsx';
import '../files/viewer/viewer.css';

const FileEditor = loadable<KindProps>(async () => (await import('./editor.tsx')).FileEditor);

const ArchiveView = loadable<KindProps>(async () => (await import('../files/archive/view.tsx')).ArchiveView);

/** One open file: text, archive, image, PDF, audio or video. */
export function FileViewer(props: ViewerProps) {
  const [kind, setKind] = createSignal(props.is_new ? 'text' : kindOfFile(nameOf(props.path)));
  return (
    <div class="viewer">
      <Switch>
        <Match when={kind() === 'text'}>
          <FileEditor {...props} onKind={setKind} />
        </Match>
        <Match when={kind() === 'archive'}>
          <ArchiveView {...props} onKind={setKind} />
        </Match>
        <Match when={kind()} keyed>
          {(shown) => <FilePreview {...props} kind={shown} onKind={setKind} />}
        </Match>
      </Switch>
    </div>
  );
}
