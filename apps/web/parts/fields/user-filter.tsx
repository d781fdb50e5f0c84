import { useQuery } from '@tanstack/solid-query';
import { createUniqueId } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createTyped } from '../../lib/typed.ts';
import { usersQuery } from '../../lib/users.ts';
import { Field } from './field.tsx';
import { KnownNames } from './known-names.tsx';

interface Props {
  readonly username: string;
  readonly onChange: (username: string) => void;
}

/** Filters by the whole name of a user; suggests the names of all users. */
export function UserFilter(props: Props) {
  const { client, t } = useApp();
  const users = useQuery(() => usersQuery(client));
  const list = createUniqueId();
  const typed = createTyped(
    () => props.username,
    (username) => props.onChange(username),
  );
  return (
    <>
      <Field
        label={t('user')}
        value={typed.text()}
        onChange={typed.type}
        description={t('whole_name')}
        input={{ list, autocomplete: 'off', autocapitalize: 'none', maxlength: 150 }}
      />
      <KnownNames id={list} names={(users.data ?? []).map(({ username }) => username)} />
    </>
  );
}
