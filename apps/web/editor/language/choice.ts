import type { Extension } from '@codemirror/state';
import { type Accessor, createMemo, createSignal } from 'solid-js';
import { descriptionOf, type Recognized, recognize } from './language.ts';

export interface LanguageChoice {
  /** Undefined for plain text. */
  readonly language: Accessor<string | undefined>;
  readonly recognized: Accessor<Recognized>;
  readonly is_chosen: Accessor<boolean>;
  /** Its grammar, empty until loaded. */
  readonly support: Accessor<Extension>;
  /** Why the grammar could not be loaded. */
  readonly error: Accessor<unknown>;
  /** The user's choice; null for plain text, undefined to detect. */
  choose(language: string | null | undefined): void;
  /** Detects the language again from the current text. */
  look(text: string): void;
}

export function createLanguageChoice(path: string, text: string): LanguageChoice {
  const [recognized, setRecognized] = createSignal(recognize(path, text));
  const [chosen, setChosen] = createSignal<string | null>();
  const [support, setSupport] = createSignal<Extension>([]);
  const [error, setError] = createSignal<unknown>();
  const language = createMemo(() => {
    const found = recognized();
    const word = chosen();
    return word === undefined ? languageIn(found) : (word ?? undefined);
  });

  /** A grammar that arrives after another choice is ignored. */
  async function fetchGrammar(): Promise<void> {
    const wanted = language();
    setError(undefined);
    setSupport([]);
    try {
      const grammar = wanted === undefined ? undefined : await descriptionOf(wanted)?.load();
      if (language() === wanted) setSupport(grammar ?? []);
    } catch (failure) {
      if (language() === wanted) setError(failure);
    }
  }
  void fetchGrammar();

  return {
    language,
    recognized,
    is_chosen: () => chosen() !== undefined,
    support,
    error,
    choose(word) {
      setChosen(word);
      void fetchGrammar();
    },
    look(present) {
      const before = language();
      setRecognized(recognize(path, present));
      if (language() !== before) void fetchGrammar();
    },
  };
}

function languageIn(found: Recognized): string | undefined {
  return 'language' in found ? found.language : undefined;
}
