import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMissing, isOnPath } from '../../support/requirement.ts';
import { ROOT } from '../../support/root.ts';
import { alerts, dashboard, runbookPage, runbookPages } from './promql.ts';

const withoutPromtool = isMissing('promtool', isOnPath('promtool'), 'there is no promtool on PATH');

const ask = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: join(ROOT, 'infra', 'prometheus'), encoding: 'utf8' });

test.skipIf(withoutPromtool)('alerts fire on exactly the series they are meant for', () => {
  expect(ask('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
  expect(ask('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(ask('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
});

test('every alert has a runbook page, and every page an alert', () => {
  const linked = alerts.map(({ annotations }) => annotations.runbook_url.split('/').at(-1));
  expect(new Set(linked).size).toBe(alerts.length);
  expect(runbookPages.toSorted()).toEqual(linked.toSorted());
  for (const { alert, annotations } of alerts) {
    const page = runbookPage(annotations.runbook_url.split('/').at(-1) ?? '');
    expect(page).toContain(`# ${alert}`);
    const headings = [...page.matchAll(/^## (.*)$/gm)].map((match) => match[1]);
    expect(headings).toEqual([
      ...['What it means', 'What users see', 'Look at', 'Do', 'Afterwards'],
    ]);
  }
});

test('the dashboard follows its conventions', () => {
  const { panels, templating } = dashboard;
  expect(templating.list).toEqual([
    expect.objectContaining({ name: 'datasource', type: 'datasource' }),
  ]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const panel of panels.filter(({ type }) => type !== 'row')) {
    const sources = [panel.datasource, ...(panel.targets ?? []).map((t) => t.datasource)];
    for (const source of sources) expect(source?.uid).toMatch(/^\$\{datasource\}$/);
    expect(panel.targets, panel.title).not.toHaveLength(0);
    expect(panel.fieldConfig?.defaults.unit, panel.title).toBeTruthy();
    expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
  }
});
