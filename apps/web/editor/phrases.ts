import type { TextKey, Translate } from '../i18n/languages.ts';

/** Translations of the editor's built-in phrases. `$` stands for a number. */
const PHRASES: Readonly<Record<string, TextKey>> = {
  Find: 'editor_find',
  Replace: 'editor_replace_with',
  next: 'editor_next',
  previous: 'editor_previous',
  all: 'editor_all',
  'match case': 'editor_match_case',
  regexp: 'editor_regexp',
  'by word': 'editor_by_word',
  replace: 'editor_replace',
  'replace all': 'editor_replace_all',
  close: 'close',
  'current match': 'editor_current_match',
  'on line': 'editor_on_line',
  'replaced match on line $': 'editor_replaced_one',
  'replaced $ matches': 'editor_replaced_all',
  'Go to line': 'editor_go_to_line',
  go: 'editor_go',
  'Control character': 'editor_control_character',
  'Selection deleted': 'editor_selection_deleted',
  'folded code': 'editor_folded',
  'Fold line': 'editor_fold',
  'Unfold line': 'editor_unfold',
  'Folded lines': 'editor_folded',
  'Unfolded lines': 'editor_unfolded',
  unfold: 'editor_unfold',
  to: 'editor_to',
  Completions: 'editor_completions',
  '$ unchanged lines': 'editor_unchanged_lines',
  'Revert this chunk': 'editor_take_theirs',
};

export function phrasesIn(t: Translate): Record<string, string> {
  return Object.fromEntries(Object.entries(PHRASES).map(([phrase, key]) => [phrase, t(key)]));
}
