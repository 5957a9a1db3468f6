import { defineConfig, type Plugin } from 'vite';

/**
 * Puts the script and the style sheet into the page, so that the build is one file that the program embeds and that
 * also works from file://. The script goes to the end of <body> as a classic deferred one: a module script
 * may not be loaded inline from file:// under every browser's rules, and it must come after the report's data.
 */
function inlineEverything(): Plugin {
  return {
    name: 'cardhouse-inline',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('the build has no index.html');
      let html = String(page.source);
      let script = '';
      let style = '';
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === 'chunk') script += item.code;
        else if (name.endsWith('.css')) style += String(item.source);
        else continue;
        delete bundle[name];
      }
      html = html
        .replace(/<script type="module"[^>]*><\/script>\s*/g, '')
        .replace(/<link rel="(stylesheet|modulepreload)"[^>]*>\s*/g, '');
      // Replacement functions: the code may hold "$&" and the like.
      const code = script.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
      html = html.replace('</head>', () => `<style>${style.replace(/<\/style/gi, '')}</style>\n</head>`);
      html = html.replace('</body>', () => `<script>${code}</script>\n</body>`);
      page.source = html;
    },
  };
}

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { format: 'iife', inlineDynamicImports: true } },
  },
  plugins: [inlineEverything()],
  test: { include: ['tests/unit/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
