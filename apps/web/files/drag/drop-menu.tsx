import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import type { DropQuestion, FileDrops } from './drops.ts';

/** The menu after a drop from another pane: copy, move or cancel. */
export function FileDropMenu(props: { drops: FileDrops; onClosed: () => void }) {
  return (
    <Show when={props.drops.question()} keyed>
      {(question) => <Question question={question} drops={props.drops} onClosed={props.onClosed} />}
    </Show>
  );
}

function Question(props: { question: DropQuestion; drops: FileDrops; onClosed: () => void }) {
  const { place, t } = useApp();
  const { x, y } = props.question;
  return (
    <DropdownMenu
      open
      onOpenChange={(open) => !open && props.drops.answer(undefined)}
      getAnchorRect={() => ({ x, y })}
      preventScroll={false}
      modal={false}
    >
      <DropdownMenu.Portal {...place.portal}>
        <DropdownMenu.Content
          class="menu"
          aria-label={t('files_drop_title')}
          aria-labelledby={undefined}
          onCloseAutoFocus={(event: Event) => {
            event.preventDefault();
            props.onClosed();
          }}
        >
          <MenuItem label={t('files_copy_here')} onSelect={() => props.drops.answer('copy')} />
          <MenuItem
            label={t('files_move_here')}
            why={props.drops.whyNotMove(props.question)}
            onSelect={() => props.drops.answer('move')}
          />
          <MenuSeparator />
          <MenuItem label={t('cancel')} onSelect={() => props.drops.answer(undefined)} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
