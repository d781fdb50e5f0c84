import { about } from 'virtual:manual/about';
import { createUniqueId, For } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import type { Closable } from '../workspace/windows.ts';
import type { Changes } from './manual/rendered.ts';
import './about.css';

/** Version, build and license of the page, and what has changed in this version. */
export function AboutDialog(props: Closable) {
  const { client, t } = useApp();
  const { version, build, license, changes } = about;
  const help = (path: string) => client.url(`/help/${path}`).href;
  return (
    <Dialog title={t('about')} onClose={props.onClose} wide>
      <dl class="about-facts">
        <dt>{t('about_version')}</dt>
        <dd>{version}</dd>
        <dt>{t('about_build')}</dt>
        <dd>
          <code>{build}</code>
        </dd>
        <dt>{t('about_license')}</dt>
        <dd>
          <a href={help('license.html')} target="_blank" rel="noopener">
            {license}
          </a>
        </dd>
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section class="about-changes" aria-label={t('about_changes', { version })} tabIndex={0}>
        <For each={changes}>{(one) => <ChangesOf changes={one} version={version} />}</For>
      </section>
      <p>
        <a href={help('changelog.html')} target="_blank" rel="noopener">
          {t('about_changelog')}
        </a>
        {' · '}
        <a href={help('')} target="_blank" rel="noopener">
          {t('help')}
        </a>
      </p>
    </Dialog>
  );
}

function ChangesOf(props: { changes: Changes; version: string }) {
  const { client, t } = useApp();
  const id = createUniqueId();
  const { version } = props;
  const title = () => t(props.changes.title === version ? 'about_changes' : 'about_unreleased', { version });

  /** The links are those of a page of the manual. */
  function fill(element: HTMLElement): void {
    element.innerHTML = props.changes.html; // made from the changelog when the page was built
    for (const link of element.querySelectorAll('a')) {
      link.href = new URL(link.getAttribute('href') ?? '', client.url('/help/changelog.html')).href;
      link.target = '_blank';
      link.rel = 'noopener';
    }
  }
  return (
    <section aria-labelledby={id}>
      <h3 class="section-title" id={id}>
        {title()}
      </h3>
      <div class="about-text" lang="en" ref={fill} />
    </section>
  );
}
