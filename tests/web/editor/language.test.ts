import { describe, expect, it } from 'vitest';
import { detectIndent } from '../../../apps/web/editor/indent.ts';
import { FILE_TYPES, INTERPRETERS, NAMES, OPENINGS } from '../../../apps/web/editor/language/clues.ts';
import { descriptionOf, LANGUAGE_NAMES, recognize } from '../../../apps/web/editor/language/language.ts';

const found = (path: string, text = '') => {
  const recognized = recognize(path, text);
  return 'language' in recognized ? [recognized.language, recognized.by] : [undefined, recognized.by];
};

describe('the language of a text', () => {
  it.each([
    ['/srv/app.py', 'Python', 'name'],
    ['/srv/APP.PY', 'Python', 'name'],
    ['/srv/a.mts', 'TypeScript', 'name'],
    ['/home/me/.bashrc', 'Shell', 'name'],
    ['/srv/Dockerfile', 'Dockerfile', 'name'],
    ['/srv/Dockerfile.dev', 'Dockerfile', 'name'],
    ['/etc/nginx/sites-available/shop', 'Nginx', 'name'],
    ['/etc/nginx/nginx.conf', 'Nginx', 'name'],
    ['/etc/systemd/system/app.service', 'Properties files', 'name'],
    ['/etc/ssh/sshd_config', 'Properties files', 'name'],
    ['/srv/.env.local', 'Properties files', 'name'],
    ['/srv/icon.svg', 'XML', 'name'],
    ['/srv/nginx.conf.j2', 'Nginx', 'inner_name'],
    ['/srv/values.yaml.tmpl', 'YAML', 'inner_name'],
    ['/srv/page.html.erb', 'HTML', 'inner_name'],
    ['/srv/nginx.conf.j2.bak', 'Nginx', 'inner_name'],
    ['/etc/php.ini.dpkg-dist', 'Properties files', 'inner_name'],
    ['/srv/config.h.in', 'C', 'inner_name'],
    ['/srv/app.py~', 'Python', 'inner_name'],
    ['/srv/letter.j2', 'Jinja', 'name'],
    ['/srv/notes.txt', undefined, 'plain_name'],
    ['/var/log/syslog.1', undefined, 'plain_name'],
    ['/var/log/app.log', undefined, 'plain_name'],
    ['/srv/thing.xyz', undefined, 'unknown_ending'],
    ['/srv/thing', undefined, 'unknown_name'],
    ['/srv/.hidden', undefined, 'unknown_name'],
  ])('of %s is %s, recognized by its %s', (path, language, by) => {
    expect(found(path)).toEqual([language, by]);
  });

  it.each([
    ['#!/bin/sh\n', 'Shell', 'shebang'],
    ['#!/usr/bin/env python3\n', 'Python', 'shebang'],
    ['#!/usr/bin/env -S python3.11 -u\n', 'Python', 'shebang'],
    ['#! /usr/bin/env LANG=C perl -w\n', 'Perl', 'shebang'],
    ['#!/usr/local/bin/node --no-warnings\n', 'JavaScript', 'shebang'],
    ['# vim: set ft=yaml:\n', 'YAML', 'modeline'],
    ['x\ny\n# vi: sw=2 ft=sh\n', 'Shell', 'modeline'],
    ['; -*- mode: Lua -*-\n', 'Lua', 'modeline'],
    ['# -*- python -*-\n', 'Python', 'modeline'],
    ['# -*- coding: utf-8 -*-\n', undefined, 'unknown_name'],
    ['<?xml version="1.0"?>', 'XML', 'content'],
    ['<!DOCTYPE html>', 'HTML', 'content'],
    ['<?php echo 1;', 'PHP', 'content'],
    ['---\nkey: value\n', 'YAML', 'content'],
    ['--- a/x\n+++ b/x\n', 'diff', 'content'],
    [' {"a": [1]}', 'JSON', 'content'],
    ['{ not json', undefined, 'unknown_name'],
    ['#!/opt/unheard/of\n', undefined, 'unknown_name'],
  ])('of %j, whose name says nothing, is %s', (text, language, by) => {
    expect(found('/srv/thing', text)).toEqual([language, by]);
  });

  it('follows the file name before the content', () => {
    expect(found('/srv/app.py', '#!/bin/sh\n')).toEqual(['Python', 'name']);
  });

  it('is reported with the clue that identified it', () => {
    expect(recognize('/srv/nginx.conf.j2', '').clue).toBe('nginx.conf');
    expect(recognize('/srv/thing.xyz', '').clue).toBe('.xyz');
    expect(recognize('/srv/run', '#!/usr/bin/env python3\n').clue).toBe('python3');
  });

  it('has a grammar for each name in the clues', () => {
    const named = [...NAMES, ...OPENINGS].map(([, language]) => language);
    const used = new Set([...named, ...INTERPRETERS.values(), ...FILE_TYPES.values()]);
    expect([...used].filter((language) => !LANGUAGE_NAMES.includes(language))).toEqual([]);
  });

  it('is loaded on demand', async () => {
    expect((await descriptionOf('YAML')?.load())?.language.name).toBe('yaml');
  });
});

describe('the indentation of a text', () => {
  it.each([
    ['two spaces', 'a:\n  b:\n    c: 1\n  d: 2\n', { kind: 'spaces', width: 2 }],
    ['four spaces', 'if x:\n    y\n    if z:\n        w\n', { kind: 'spaces', width: 4 }],
    ['tabs', 'a {\n\tb\n\t\tc\n}\n', { kind: 'tabs', width: 4 }],
    [
      'two spaces, though comments align by one',
      '/**\n * a\n */\nf() {\n  x\n}\n',
      { kind: 'spaces', width: 2 },
    ],
    ['two spaces where nothing is indented', 'a\nb\n', { kind: 'spaces', width: 2 }],
  ])('is %s', (_name, text, indent) => {
    expect(detectIndent('/srv/x', text)).toEqual(indent);
  });

  it('of an empty Makefile is tabs', () => {
    expect(detectIndent('/srv/Makefile', '').kind).toBe('tabs');
  });
});
