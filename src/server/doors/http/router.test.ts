import { expect, test } from 'vitest';
import { createRouter } from './router.ts';

const router = createRouter<string>();
router.add('GET', '/api/files', 'files');
router.add('GET', '/api/file/:index/annotations', 'annotations');
router.add('PUT', '/api/file/:index/annotations', 'replaceAnnotations');
router.add('GET', '/api/file/:index/frame/:frame', 'frame');
router.add('GET', '/api/file/:index/frame/first', 'first frame');

test.each([
  ['/api/files', { GET: 'files' }, {}],
  ['/api/file/12/annotations', { GET: 'annotations', PUT: 'replaceAnnotations' }, { index: '12' }],
  ['/api/file/12/frame/abc', { GET: 'frame' }, { index: '12', frame: 'abc' }],
  ['/api/file/12/frame/first', { GET: 'first frame' }, { index: '12' }],
  [
    '/api/file/constructor/frame/__proto__',
    { GET: 'frame' },
    JSON.parse('{"index":"constructor","frame":"__proto__"}'),
  ],
])('%s has the routes %j', (path, routes, parameters) => {
  const found = router.find(path);
  expect(Object.fromEntries(found.routes)).toEqual(routes);
  expect(Object.entries(found.parameters)).toEqual(Object.entries(parameters));
});

test.each([
  '',
  '/',
  '/api',
  '/api/',
  '/api/files/',
  '/api//files',
  '/api/file//annotations',
  '/api/file/1',
  '/API/files',
])('%j has none', (path) => {
  expect(router.find(path).routes.size).toBe(0);
});

test('a segment cannot have two names, because one of them would be missing', () => {
  expect(() => router.add('GET', '/api/file/:file/tags', 'tags')).toThrow('index and file');
});
