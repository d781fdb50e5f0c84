import { Popover } from '@kobalte/core/popover';
import Users from 'lucide-solid/icons/users';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Participant } from '../../open-terminals/terminals.ts';
import '../../parts/menu.css';
import './people.css';

const FACES = 3;

interface Props {
  readonly people: readonly Participant[];
}

/** The members: initials of a few, and a list of all. */
export function People(props: Props) {
  const { place, t } = useApp();
  const others = () => props.people.filter(({ you }) => !you);
  const label = () => t('bar_people', { count: props.people.length });
  return (
    <Popover gutter={6}>
      <Popover.Trigger class="people" title={label()}>
        <span class="visually-hidden">{label()}</span>
        <Users size={15} aria-hidden="true" />
        <span class="people-faces" aria-hidden="true">
          <For each={others().slice(0, FACES)}>
            {({ username, typing }) => (
              <span class="people-face" classList={{ 'people-typing': typing }}>
                {initialsOf(username)}
              </span>
            )}
          </For>
        </span>
        <span aria-hidden="true">{props.people.length}</span>
      </Popover.Trigger>
      <Popover.Portal {...place.portal}>
        <Popover.Content class="menu people-list">
          <Popover.Title class="menu-label">{t('share_people')}</Popover.Title>
          <PeopleList people={props.people} />
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  );
}

export function PeopleList(props: Props) {
  const { t } = useApp();
  const nameOf = ({ username, you }: Participant) => (you ? t('share_you', { name: username }) : username);
  return (
    <ul class="people-rows" aria-label={t('share_people')}>
      <For each={props.people}>
        {(person) => (
          <li class="people-row">
            <span class="people-name">{nameOf(person)}</span>
            <span class="badge">{t(`share_role_${person.role}`)}</span>
            <Show when={person.role === 'guest'}>
              <span class="badge">{t(`share_mode_${person.mode}`)}</span>
            </Show>
            <Show when={person.typing}>
              <span class="people-now">{t('share_typing')}</span>
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}

/** The initials of up to two words. */
export function initialsOf(username: string): string {
  const words = username.split(/[\s._@-]+/).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map(firstOf) : [...(words[0] ?? '?')].slice(0, 2);
  return letters.join('').toUpperCase();
}

function firstOf(word: string): string {
  return [...word][0] ?? '';
}
