import X from 'lucide-solid/icons/x';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../name.tsx';
import type { QueryToken } from './read.ts';

interface Props {
  readonly token: QueryToken;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** A finished token. Pressing it returns it to the text field. */
export function Chip(props: Props) {
  const { t } = useApp();
  const key = () => `${props.token.is_negated ? '-' : ''}${props.token.name}:`;
  const name = () => `${key()} ${props.token.shown}`;
  return (
    <span class="query-chip" classList={{ 'query-chip-bad': props.token.problem !== undefined }}>
      <button
        type="button"
        class="query-chip-text"
        aria-label={t('edit_of', { name: name() })}
        title={
          props.token.problem ? t(props.token.problem.text, props.token.problem.values) : shownName(name())
        }
        onClick={() => props.onEdit()}
      >
        <span class="query-soft">{key()}</span>
        <Name text={props.token.shown} />
      </button>
      <button
        type="button"
        class="query-chip-remove"
        aria-label={t('remove_of', { name: name() })}
        onClick={() => props.onRemove()}
      >
        <X size={12} aria-hidden="true" />
      </button>
    </span>
  );
}
