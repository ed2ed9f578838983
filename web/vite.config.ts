import { defineConfig } from "vite";

export default defineConfig({
  // Relative, so that the page works below any path.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../crates/server/page",
    emptyOutDir: true,
    target: "es2022",
    // The service's Content-Security-Policy allows files of its own and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // The files are committed: names without hashes keep their history readable.
        entryFileNames: "assets/app.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/app[extname]",
      },
    },
  },
  server: {
    // The types and the JSON of the client are the page's, too.
    fs: { allow: [".", "../clients"] },
    proxy: { "/api": "http://127.0.0.1:8080" },
  },
});
