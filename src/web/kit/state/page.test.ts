import { expect, test } from 'vitest';
import { libraryOf } from './library.ts';
import { createPage, definePart } from './page.ts';

test('a part is made once for each page, and pages share nothing', () => {
  const namesOf = definePart(() => new Set<string>());
  const [one, other] = [createPage(), createPage()];
  namesOf(one).add('a');
  expect([...namesOf(one)]).toEqual(['a']);
  expect([...namesOf(other)]).toEqual([]);
});

test('a part may be nothing, and is not made again', () => {
  let made = 0;
  const noneOf = definePart(() => {
    made += 1;
  });
  const page = createPage();
  noneOf(page);
  noneOf(page);
  expect(made).toBe(1);
});

test('a restart reaches every part that was made, until it no longer listens', () => {
  const page = createPage();
  const forgotten: string[] = [];
  const stop = page.onRestart(() => forgotten.push('a'));
  definePart((owner) => owner.onRestart(() => forgotten.push('b')))(page);
  page.restart();
  stop();
  page.restart();
  expect(forgotten).toEqual(['a', 'b', 'b']);
});

test('loaders are cleared before any other part forgets', () => {
  const page = createPage();
  const order: string[] = [];
  page.onRestart(() => order.push('store'));
  page.onRestartFirst(() => order.push('loader'));
  page.restart();
  expect(order).toEqual(['loader', 'store']);
});

test('another run of the server restarts the page before others see its files', () => {
  const page = createPage();
  const order: string[] = [];
  libraryOf(page).subscribe(() => order.push('files'));
  page.onRestart(() => order.push('restart'));
  libraryOf(page).setState({ connection: 'live' });
  libraryOf(page).setState({ serverRuns: 1 });
  expect(order).toEqual(['files', 'restart', 'files']);
});
