import type { ParentProps } from 'solid-js';
import { Brand } from './brand.tsx';
import { LanguageChoice } from './language-choice.tsx';
import './door.css';

/** The frame of the screens outside the workspace. */
export function Door(props: ParentProps<{ title: string }>) {
  return (
    <main class="door">
      <section class="door-card" aria-labelledby="door-title">
        <Brand large />
        <h1 id="door-title" class="door-title">
          {props.title}
        </h1>
        {props.children}
      </section>
      <LanguageChoice />
    </main>
  );
}
