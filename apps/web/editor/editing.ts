import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { App } from '../app/context.ts';
import type { FilePlace } from '../files/viewer/link.ts';
import type { Draft } from '../workspace/unsaved/drafts.ts';
import type { Unsaved } from '../workspace/unsaved/unsaved.ts';
import { createTextDocument, type TextDocument, type Version } from './document.ts';
import { createElsewhere, type Elsewhere } from './elsewhere/elsewhere.ts';
import { createLanguageChoice, type LanguageChoice } from './language/choice.ts';
import { createPresentation, type Presentation } from './presentation.ts';
import { type Basis, saveText, type TextFile } from './text-file.ts';
import { keepDraft } from './unsaved/draft-keeper.ts';

/** One open text: its document, its editor and their shared state. */
export interface Editing extends Presentation {
  readonly document: TextDocument;
  readonly language: LanguageChoice;
  /** Why the text is read-only. */
  readonly why_read_only: Accessor<string | undefined>;
  /** Unsaved changes from before a reload. */
  readonly is_recovered: Accessor<boolean>;
  readonly is_asking: Accessor<boolean>;
  /** Answers the question about the changes. */
  decide(decision: 'save' | 'discard' | 'stay'): Promise<void>;
  discard(): void;
  /** Shows the saved version. */
  reload(file: TextFile): void;
  /** Asks for another path where the account may not write the file. */
  save(basis?: Basis): Promise<boolean>;
  readonly elsewhere: Elsewhere;
}

export interface EditingOptions {
  readonly app: App;
  readonly unsaved: Unsaved;
  readonly tab_id: string;
  readonly place: FilePlace;
  /** Undefined if there is no such file. */
  readonly file: TextFile | undefined;
  readonly draft: Draft | undefined;
  readonly why_read_only: Accessor<string | undefined>;
  readonly onSaved: () => void;
}

export function createEditing(options: EditingOptions): Editing {
  const { app, place, file, draft, why_read_only } = options;
  const write = (content: string, basis: Basis) => saveText(app.client, place, { content, basis });
  const document = createTextDocument({ file, draft, write });
  const language = createLanguageChoice(place.path, document.version().doc.toString());
  const shown = createPresentation({ t: app.t, path: () => place.path, document, language, why_read_only });
  const elsewhere = createElsewhere({ app, place, ...document });
  const [is_recovered, setRecovered] = createSignal(draft !== undefined);

  function restart(version: Version): void {
    shown.show(version);
    setRecovered(false);
  }
  const discard = () => restart(document.revert());

  async function save(basis?: Basis): Promise<boolean> {
    const is_pointless = !basis && !document.is_dirty() && !document.is_new();
    if (why_read_only() !== undefined || is_pointless) return is_pointless;
    if (!basis && document.is_locked()) {
      elsewhere.ask();
      return false;
    }
    if (!(await document.save(basis))) return false;
    setRecovered(false);
    language.look(document.version().doc.toString());
    options.onSaved();
    return true;
  }
  keepDraft(options.unsaved.drafts, place, document);
  return {
    document,
    language,
    ...shown,
    ...createQuestion(options, { document, save, discard }),
    why_read_only,
    is_recovered,
    discard,
    reload: (fresh) => restart(document.adopt(fresh)),
    save,
    elsewhere,
  };
}

type QuestionPart = Pick<Editing, 'is_asking' | 'decide'>;

/** The caller waits for the user's answer. */
function createQuestion(
  { unsaved, tab_id, place }: EditingOptions,
  { document, save, discard }: Pick<Editing, 'document' | 'save' | 'discard'>,
): QuestionPart {
  const [answer, setAnswer] = createSignal<(may_leave: boolean) => void>();
  function settle(may_leave: boolean): void {
    answer()?.(may_leave);
    setAnswer(undefined);
  }
  function ask(): Promise<boolean> {
    settle(false); // an earlier question is answered with "stay"
    return new Promise((resolve) => setAnswer(() => resolve));
  }
  const release = unsaved.hold({
    server_id: place.server_id,
    get path() {
      return place.path;
    },
    ...{ tab_id, is_dirty: document.is_dirty, ask },
  });
  onCleanup(() => {
    release();
    settle(false);
  });
  return {
    is_asking: () => answer() !== undefined,
    async decide(decision) {
      if (decision === 'save') return settle(await save());
      if (decision === 'discard') discard();
      settle(decision === 'discard');
    },
  };
}
