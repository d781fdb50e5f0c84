import ListFilter from 'lucide-solid/icons/list-filter';
import Search from 'lucide-solid/icons/search';
import { createMemo, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Menu, MenuGroup, MenuSeparator, MenuToggle } from '../../parts/menu.tsx';
import { hasToken, toggleToken } from '../../servers/find/query.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import type { RailModel } from './rail-model.ts';
import { tagsByUse, tagsThatFit } from './tag-chips.ts';
import { rowId } from './tree.tsx';

const LETTER_PX = 7.4; // of a chip, with its share of the edges
const MARGINS_PX = 20;
const MOST_TAGS = 200; // in the menu
const MOST_GROUPS = 200;

interface Props {
  readonly model: RailModel;
  readonly tree_id: string;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly ref: (input: HTMLInputElement) => void;
}

/** The search with its tokens: tags as chips, and every filter in a menu. */
export function SearchBox(props: Props) {
  const { preferences, t } = useApp();
  const line_letters = () => Math.floor((preferences.values.rail_px - MARGINS_PX) / LETTER_PX);
  const { index } = useKnownServers();
  const tags = createMemo(() => {
    const known = index();
    return known ? tagsByUse(known) : [];
  });
  const toggle = (key: string, value: string) =>
    props.model.setText(toggleToken(props.model.text(), key, value));
  return (
    <>
      <div class="rail-filter">
        <Search size={15} aria-hidden="true" />
        <input
          type="search"
          aria-label={t('rail_search')}
          aria-controls={props.tree_id}
          aria-activedescendant={
            props.model.text() !== '' && props.model.active() >= 0
              ? rowId(props.tree_id, props.model.active())
              : undefined
          }
          placeholder={t('rail_search')}
          title={t('rail_search_hint')}
          autocomplete="off"
          spellcheck={false}
          value={props.model.text()}
          onInput={(event) => props.model.setText(event.currentTarget.value)}
          onKeyDown={(event) => props.onKey(event)}
          ref={props.ref}
        />
        <FilterMenu model={props.model} tags={tags()} onToggle={toggle} />
      </div>
      <Show when={tags().length > 0}>
        <fieldset class="chips">
          <legend class="visually-hidden">{t('tags')}</legend>
          <For each={tagsThatFit(tags(), line_letters())}>
            {(tag) => (
              <button
                type="button"
                class="chip"
                aria-pressed={hasToken(props.model.text(), 'tag', tag)}
                onClick={() => toggle('tag', tag)}
              >
                {tag}
              </button>
            )}
          </For>
        </fieldset>
      </Show>
    </>
  );
}

interface FilterProps {
  readonly model: RailModel;
  readonly tags: readonly string[];
  readonly onToggle: (key: string, value: string) => void;
}

function FilterMenu(props: FilterProps) {
  const { t } = useApp();
  const groups = () => props.model.group_names();
  const kinds = () => [
    { value: 'online', label: t('server_online') },
    { value: 'offline', label: t('server_offline') },
    { value: 'unchecked', label: t('server_unchecked') },
  ];
  return (
    <Menu
      label={t('filters')}
      icon={<ListFilter size={15} aria-hidden="true" />}
      class="icon-button rail-filter-menu"
    >
      <MenuToggle
        label={t('favorites')}
        checked={hasToken(props.model.text(), 'is', 'favorite')}
        onChange={() => props.onToggle('is', 'favorite')}
      />
      <MenuSeparator />
      <MenuGroup label={t('status')}>
        <For each={kinds()}>
          {({ value, label }) => (
            <MenuToggle
              label={label}
              checked={hasToken(props.model.text(), 'is', value)}
              onChange={() => props.onToggle('is', value)}
            />
          )}
        </For>
      </MenuGroup>
      <Show when={groups().length > 1}>
        <MenuGroup label={t('groups')}>
          <For each={groups().slice(0, MOST_GROUPS)}>
            {(group) => (
              <MenuToggle
                label={group || t('ungrouped')}
                checked={hasToken(props.model.text(), 'group', group)}
                onChange={() => props.onToggle('group', group)}
              />
            )}
          </For>
        </MenuGroup>
      </Show>
      <Show when={props.tags.length > 0}>
        <MenuGroup label={t('tags')}>
          <For each={props.tags.slice(0, MOST_TAGS)}>
            {(tag) => (
              <MenuToggle
                label={tag}
                checked={hasToken(props.model.text(), 'tag', tag)}
                onChange={() => props.onToggle('tag', tag)}
              />
            )}
          </For>
        </MenuGroup>
      </Show>
    </Menu>
  );
}
