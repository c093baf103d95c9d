// Reading continues after a problem, so that `config check` shows many at once: those of each layer
// in turn, then keys without effect. Contradictions between keys follow if there is no other
// problem.
#include "train/config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "train/config/checks/check.h"
#include "train/config/presets.h"
#include "train/config/schema.h"
#include "train/config/show.h"
#include "train/config/source.h"
#include "train/config/suggestion.h"
#include "train/config/yaml.h"

namespace calque {
namespace {

constexpr size_t deepest_include = 8;
constexpr size_t most_files = 64;

// One key that a layer sets.
struct Assignment {
  const ConfigKey* key;
  YamlValue value;
};

using Layer = std::vector<Assignment>;

class Loader {
 public:
  // A path, or the name of a built-in config.
  void read_config(const std::string& path) {
    name_ = path;
    attempt([&] {
      const ConfigSource source = read_config_source(path);
      name_ = source.name;
      add_source(source);
    });
  }

  void read_text(std::string_view text, const std::string& name) {
    name_ = name;
    attempt([&] { add_source({name, std::string(text)}); });
  }

  void read_settings(const std::vector<std::string>& settings) {
    Layer layer;
    for (const std::string& setting : settings) {
      attempt([&] { add_setting(setting, layer); });
    }
    apply(layer);
  }

  enum class Keys { some, all };  // all: the file may have keys without effect

  void finish(Keys keys, const ExtraCheck& extra_check) {
    complete(loaded_.config);
    for (const auto& [name_of_key, place] : loaded_.origins) {
      const ConfigKey& key = *find_config_key(name_of_key);
      const std::string reason = key.idle(loaded_.config);
      if (reason.empty()) continue;
      if (place.ends_with(preset_mark)) {  // a preset also sets keys that this model does not use
        key.read(parse_yaml_argument(key.write(Config()), place), loaded_.config);
      } else if (keys == Keys::some || !place.starts_with(name_ + ":")) {
        problem("{}: {}: {}", place, key.name, reason);
      }
    }
    if (!problems_.empty()) return;  // they may be the cause of contradictions
    std::vector<Contradiction> all = contradictions(loaded_.config);
    if (extra_check) std::ranges::move(extra_check(loaded_.config), std::back_inserter(all));
    for (const auto& [key, message] : all) {
      // An imported run has no data.
      const bool no_data = key == "data.train" && loaded_.config.data.train.empty();
      if (no_data && keys == Keys::all) continue;
      const auto origin = loaded_.origins.find(key);
      problem("{}: {}: {}", origin == loaded_.origins.end() ? name_ : origin->second, key, message);
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }
  LoadedConfig take() { return std::move(loaded_); }

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> message, Args&&... args) {
    problems_.push_back(fmt::format(message, std::forward<Args>(args)...));
  }

  template <class Action>
  void attempt(Action action) {
    try {
      action();
    } catch (const Error& error) {
      problems_.emplace_back(error.what());
    }
  }

  void add_source(const ConfigSource& source) {
    const YamlValue root = parse_yaml(source.text, source.name);
    if (root.kind == YamlValue::Kind::nothing) {
      fail("{}: empty; a config needs sections such as data: and model:", source.name);
    }
    if (root.kind != YamlValue::Kind::map) {
      fail("{}: a config must be a map of sections such as data: and model:, not {}",
           root.place.text(), description(root));
    }
    for (const YamlEntry& entry : root.entries) {
      if (entry.key == "include") include(entry.value, source);
    }
    Layer layer;
    for (const YamlEntry& entry : root.entries) {
      if (entry.key != "include") add_section(entry, layer);
    }
    apply(layer);
  }

  void include(const YamlValue& value, const ConfigSource& from) {
    std::vector<std::string> paths;
    read_value(value, "include", {}, paths);
    including_.push_back(from.identity());
    for (const std::string& path : paths) {
      attempt([&] { include_source(path, from, value.place); });
    }
    including_.pop_back();
  }

  void include_source(const std::string& path, const ConfigSource& from, const Place& place) {
    if (including_.size() > deepest_include) {
      fail("{}: include: nested more than {} deep", place.text(), deepest_include);
    }
    if (++files_ > most_files) {
      fail("{}: include: more than {} included files", place.text(), most_files);
    }
    ConfigSource source;
    try {
      source = read_included_source(path, from);
    } catch (const Error& error) {
      fail("{}: include: {}", place.text(), error.what());
    }
    if (std::ranges::count(including_, source.identity()) > 0) {
      fail("{}: include: {} includes itself, directly or through other files", place.text(),
           source.name);
    }
    add_source(source);
  }

  void add_section(const YamlEntry& entry, Layer& layer) {
    if (entry.key == "task") {
      layer.push_back({find_config_key("task"), entry.value});
      return;
    }
    if (std::ranges::count(config_sections(), entry.key, &SectionInfo::name) == 0) {
      problem("{}: {}", entry.place.text(), unknown_key("", entry.key));
    } else if (entry.value.kind == YamlValue::Kind::map) {
      for (const YamlEntry& item : entry.value.entries) add_key(entry.key, item, layer);
    } else if (entry.value.kind != YamlValue::Kind::nothing) {
      problem("{}: {}: must be a section with keys indented below it, not {}", entry.place.text(),
              entry.key, description(entry.value));
    }
  }

  void add_key(const std::string& section, const YamlEntry& entry, Layer& layer) {
    const ConfigKey* key = find_config_key(section + "." + entry.key);
    if (key == nullptr) {
      problem("{}: {}", entry.place.text(), unknown_key(section, entry.key));
    } else {
      layer.push_back({key, entry.value});
    }
  }

  void add_setting(const std::string& setting, Layer& layer) {
    const std::string place = "--set " + setting;
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      fail("{}: must be key=value, such as --set training.seed=2", place);
    }
    const std::string name = setting.substr(0, equals);
    const ConfigKey* key = find_config_key(name);
    if (key == nullptr && set_inside(name, setting.substr(equals + 1), place, layer)) return;
    if (key == nullptr) {
      const auto dot = name.find('.');
      const std::string section = dot == std::string::npos ? "" : name.substr(0, dot);
      fail("{}: {}", place, unknown_key(section, name.substr(section.empty() ? 0 : dot + 1)));
    }
    layer.push_back({key, parse_yaml_argument(setting.substr(equals + 1), place)});
  }

  // Sets a key inside the map of another key: data.train.pairs, if data.train is one corpus.
  // Returns false if there is no such map.
  bool set_inside(std::string_view name, std::string_view text, const std::string& place,
                  Layer& layer) {
    const size_t dot = name.rfind('.');
    const ConfigKey* key = dot == name.npos ? nullptr : find_config_key(name.substr(0, dot));
    if (key == nullptr) return false;
    YamlValue whole = parse_yaml_argument(key->write(loaded_.config), place);
    for (const Assignment& earlier : layer) {
      if (earlier.key == key) whole = earlier.value;
    }
    if (whole.kind == YamlValue::Kind::list) {
      if (whole.items.size() > 1) {
        fail("{}: {} is a list of {}; set all of it: --set '{}=[...]'", place, key->name,
             whole.items.size(), key->name);
      }
      YamlValue only = whole.items.empty() ? parse_yaml_argument("{}", place) : whole.items.front();
      whole = std::move(only);
    }
    if (whole.kind != YamlValue::Kind::map) return false;
    whole.place = {std::make_shared<const std::string>(place), 0};
    const std::string inner(name.substr(dot + 1));
    std::erase_if(whole.entries, [&](const YamlEntry& entry) { return entry.key == inner; });
    whole.entries.push_back({inner, whole.place, parse_yaml_argument(text, place)});
    layer.push_back({key, std::move(whole)});
    return true;
  }

  // These keys set others, in this order. The keys after them override these.
  void apply(const Layer& layer) {
    constexpr std::string_view first[] = {"task", "model.preset", "model.kind", "model.init_from"};
    for (const std::string_view name : first) {
      for (const auto& [key, value] : layer) {
        if (key->name == name) assign(*key, value);
      }
    }
    for (const auto& [key, value] : layer) {
      if (std::ranges::find(first, key->name) == std::end(first)) assign(*key, value);
    }
  }

  void assign(const ConfigKey& key, const YamlValue& value) {
    attempt([&] {
      key.read(value, loaded_.config);
      loaded_.origins[key.name] = value.place.text();
      const bool preset = key.name == "model.preset";
      if (!preset || loaded_.config.model.preset == ModelConfig::Preset::none) return;
      for (const auto name : preset_keys) {
        loaded_.origins[std::string(name)] = value.place.text() + std::string(preset_mark);
      }
    });
  }

  std::string name_;  // of the config, in messages
  LoadedConfig loaded_;
  std::vector<std::string> problems_;
  std::vector<std::string> including_;  // the chain of files that led to this one
  size_t files_ = 0;
};

Loader read(const std::string& path, const std::vector<std::string>& settings, Loader::Keys keys,
            const ExtraCheck& extra_check = {}) {
  Loader loader;
  loader.read_config(path);
  loader.read_settings(settings);
  loader.finish(keys, extra_check);
  return loader;
}

LoadedConfig checked(Loader loader) {
  const std::vector<std::string>& problems = loader.problems();
  if (problems.size() > 1) {
    fail("{} (and {} more; 'calque config check' shows them all)", problems.front(),
         problems.size() - 1);
  }
  if (!problems.empty()) throw Error(problems.front());
  return loader.take();
}

}  // namespace

LoadedConfig load_config(const std::string& path, const std::vector<std::string>& settings,
                         const ExtraCheck& extra_check) {
  return checked(read(path, settings, Loader::Keys::some, extra_check));
}

LoadedConfig load_complete_config(const std::string& path,
                                  const std::vector<std::string>& settings) {
  return checked(read(path, settings, Loader::Keys::all));
}

LoadedConfig parse_config(std::string_view text, const std::string& name,
                          const std::vector<std::string>& settings, const ExtraCheck& extra_check) {
  Loader loader;
  loader.read_text(text, name);
  loader.read_settings(settings);
  loader.finish(Loader::Keys::some, extra_check);
  return checked(std::move(loader));
}

LoadedConfig parse_complete_config(std::string_view text, const std::string& name) {
  Loader loader;
  loader.read_text(text, name);
  loader.finish(Loader::Keys::all, {});
  return checked(std::move(loader));
}

void require_readable(const Config& config) {
  const size_t size = show_config(config).size();
  if (size <= static_cast<size_t>(largest_config)) return;
  fail(
      "the config, written with all defaults, has {} bytes, but the limit is {}; merge corpus "
      "files, "
      "so that the config names fewer",
      size, largest_config);
}

std::vector<std::string> config_problems(const std::string& path,
                                         const std::vector<std::string>& settings,
                                         const ExtraCheck& extra_check) {
  return read(path, settings, Loader::Keys::some, extra_check).problems();
}

}  // namespace calque
