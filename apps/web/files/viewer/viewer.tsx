import { createSignal, Match, Switch } from 'solid-js';
import { nameOf } from '../../lib/paths.ts';
import { loadable } from '../../parts/loadable.tsx';
import type { Tab } from '../../shell/tabs/tabs.ts';
import type { FileTab } from '../file-tab.ts';
import { type FileKind, kindOfFile } from './kind.ts';
import { FilePreview } from './preview.tsx';
import './viewer.css';

export interface ViewerProps {
  readonly tab: Tab;
  readonly files: FileTab;
  readonly path: string;
  /** It is not there yet: saving makes it. */
  readonly is_new: boolean;
  /** The tab is in front, and nothing else is asked for in it. */
  readonly active: boolean;
}

export interface KindProps extends ViewerProps {
  /** Shows the same file as something else. */
  readonly onKind: (kind: FileKind) => void;
}

const FileEditor = loadable<KindProps>(async () => (await import('../../editor/editor.tsx')).FileEditor);

/** One open file: text to edit, or a picture, a document, a sound, a film. */
export function FileViewer(props: ViewerProps) {
  const [kind, setKind] = createSignal(props.is_new ? 'text' : kindOfFile(nameOf(props.path)));
  return (
    <div class="viewer">
      <Switch>
        <Match when={kind() === 'text'}>
          <FileEditor {...props} onKind={setKind} />
        </Match>
        <Match when={kind()} keyed>
          {(shown) => <FilePreview {...props} kind={shown} onKind={setKind} />}
        </Match>
      </Switch>
    </div>
  );
}
