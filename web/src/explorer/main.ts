// The explorer's page begins here: it has these views.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { begin } from "./router.ts";
import { captures } from "./views/captures.ts";
import { explore } from "./views/explore.ts";
import { map } from "./views/map.ts";
import { papers } from "./views/papers.ts";

const root = document.getElementById("app") ?? document.body;
void begin(root, [explore, map, captures, papers]);
